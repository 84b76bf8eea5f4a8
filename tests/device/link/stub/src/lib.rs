//! Kernels in module asm that call functions of Rust and of `compiler_builtins`.

#![no_std]
#![feature(abi_ptx, asm_experimental_arch)]

use core::arch::global_asm;

/// Returns a changed `value`; called only by the kernel below.
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

global_asm!(
    ".func (.param .b32 result) fmodf(.param .b32 x, .param .b32 y);",
    ".visible .entry remainder(.param .u64 out) {",
    "  .reg .b32 %r; .reg .b64 %rd;",
    "  .param .b32 x; .param .b32 y; .param .b32 result;",
    "  st.param.b32 [x], 0f40E00000;",
    "  st.param.b32 [y], 0f40400000;",
    "  call (result), fmodf, (x, y);",
    "  ld.param.b32 %r, [result];",
    "  ld.param.u64 %rd, [out];",
    "  st.u32 [%rd], %r;",
    "  ret;",
    "}",
    options(raw),
);

/// Uses nothing from `core`, but the asm in the same crate does.
///
/// # Safety
///
/// `out` is the address of a word.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn beside(out: *mut u32) {
    unsafe { *out = 1 }
}
