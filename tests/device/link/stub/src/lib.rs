//! A kernel in module asm that calls a Rust function.

#![no_std]
#![feature(asm_experimental_arch)]

use core::arch::global_asm;

/// Called only by the kernel below.
pub extern "C" fn body_of_stub(value: u32) -> u32 {
    value ^ 0x5a5a
}

global_asm!(
    ".func (.param .b32 result) {body} (.param .b32 value);",
    ".visible .entry stub(.param .u64 out) {{",
    "  .reg .b32 %r; .reg .b64 %rd;",
    "  .param .b32 value; .param .b32 result;",
    "  st.param.b32 [value], 7;",
    "  call (result), {body}, (value);",
    "  ld.param.b32 %r, [result];",
    "  ld.param.u64 %rd, [out];",
    "  st.u32 [%rd], %r;",
    "  ret;",
    "}}",
    body = sym body_of_stub,
);
