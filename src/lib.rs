#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(asm_experimental_arch, abi_ptx))]
#[macro_use]
pub mod qualifier;
pub mod raw;
