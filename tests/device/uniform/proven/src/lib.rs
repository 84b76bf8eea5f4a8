//! Kernels that keep the contract of `Cta::enter`. `tests/uniform.rs` checks that `ptx-link` proves every one.

#![no_std]
#![feature(abi_ptx, asm_experimental_arch)]

mod blocks;
mod clusters;
mod groups;
mod lanes;
mod parameters;
mod rows;
mod warpgroups;

ptx::panic_handler!();
