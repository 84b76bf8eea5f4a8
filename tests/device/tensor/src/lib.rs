//! Products of matrices by the raw layer. `tests/tensor.rs` runs them in the interpreter and reads what ptxas says.

#![no_std]
#![allow(clippy::missing_safety_doc)]
#![cfg_attr(feature = "sm_90a", feature(abi_ptx, asm_experimental_arch, stdarch_nvptx))]

// Clippy looks at the crate for other targets too.
#[cfg(feature = "sm_90a")]
mod product;

ptx::panic_handler!();
