//! Kernels that break the contract of `Cta::enter`, a clause each. `tests/uniform.rs` checks that `ptx-link` refuses every one.

#![no_std]
#![feature(abi_ptx, asm_experimental_arch)]

mod calls;
mod carriers;
mod choices;
mod control;
mod dealt;
mod groups;
mod handles;
mod lanes;
mod memory;
mod shapes;
mod tiles;
mod warpgroups;

ptx::panic_handler!();
