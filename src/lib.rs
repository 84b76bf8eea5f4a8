#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(asm_experimental_arch))]
#![cfg_attr(all(target_arch = "nvptx64", feature = "probe"), feature(abi_ptx))]
#![cfg_attr(
    all(target_arch = "nvptx64", feature = "stock-linker"),
    feature(core_intrinsics),
    allow(internal_features)
)]
#[macro_use]
pub mod qualifier;
pub mod raw;
pub mod launch;
pub mod shared;
pub mod global;
pub mod mbarrier;
pub mod bulk;
pub mod pipeline;
