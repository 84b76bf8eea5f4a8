// The page is the README: `tests/readme.rs` builds its kernel for the device, where doctests cannot.
#![cfg_attr(not(doctest), doc = include_str!("../README.md"))]
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(asm_experimental_arch, core_float_math, stdarch_nvptx))]
#![cfg_attr(all(target_arch = "nvptx64", feature = "probe"), feature(abi_ptx))]
#![cfg_attr(
    all(target_arch = "nvptx64", feature = "stock-linker"),
    feature(core_intrinsics, asm_goto_with_outputs),
    allow(internal_features)
)]
#![deny(missing_docs, unsafe_op_in_unsafe_fn, clippy::undocumented_unsafe_blocks)]

#[macro_use]
pub mod qualifier;
pub mod async_group;
pub mod atomic;
pub mod barrier;
pub mod bulk;
pub mod cluster;
#[cfg(feature = "sm_100")]
pub mod clusterlaunchcontrol;
pub mod cp_async;
pub mod fence;
pub mod global;
pub mod launch;
pub mod mask;
pub mod math;
pub mod mbarrier;
pub mod multimem;
pub mod pipeline;
pub mod raw;
pub mod reduce;
pub mod registers;
pub mod shared;
pub mod tensor;
pub mod warp;
