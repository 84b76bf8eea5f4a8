// The crate's page is the README. `tests/readme.rs` compiles its kernel for the device, which doctests cannot do.
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
pub mod mask;
pub mod raw;

// The typed layer. Its safe code relies on barriers that stay where the source places them, and only the marks of `ptx-link`
// ensure that. Documentation is built with all features, so `doc` keeps the layer beside `stock-linker`.
#[macro_use]
#[cfg(any(doc, not(feature = "stock-linker")))]
mod states;
#[cfg(any(doc, not(feature = "stock-linker")))]
pub mod async_group;
#[cfg(any(doc, not(feature = "stock-linker")))]
pub mod atomic;
#[cfg(any(doc, not(feature = "stock-linker")))]
pub mod barrier;
#[cfg(any(doc, not(feature = "stock-linker")))]
pub mod bulk;
#[cfg(any(doc, not(feature = "stock-linker")))]
pub mod cache_policy;
#[cfg(any(doc, not(feature = "stock-linker")))]
pub mod cluster;
#[cfg(all(feature = "sm_100", any(doc, not(feature = "stock-linker"))))]
pub mod clusterlaunchcontrol;
#[cfg(any(doc, not(feature = "stock-linker")))]
pub mod cp_async;
#[cfg(any(doc, not(feature = "stock-linker")))]
pub mod fence;
#[cfg(any(doc, not(feature = "stock-linker")))]
pub mod global;
#[cfg(any(doc, not(feature = "stock-linker")))]
mod group;
#[cfg(any(doc, not(feature = "stock-linker")))]
pub mod launch;
#[cfg(any(doc, not(feature = "stock-linker")))]
pub mod math;
#[cfg(any(doc, not(feature = "stock-linker")))]
pub mod mbarrier;
#[cfg(any(doc, not(feature = "stock-linker")))]
pub mod multimem;
#[cfg(any(doc, not(feature = "stock-linker")))]
pub mod pipeline;
#[cfg(any(doc, not(feature = "stock-linker")))]
pub mod reduce;
#[cfg(any(doc, not(feature = "stock-linker")))]
pub mod registers;
#[cfg(any(doc, not(feature = "stock-linker")))]
pub mod shared;
#[cfg(any(doc, not(feature = "stock-linker")))]
mod size;
#[cfg(any(doc, not(feature = "stock-linker")))]
mod special_register;
#[cfg(any(doc, not(feature = "stock-linker")))]
pub mod tensor;
#[cfg(any(doc, not(feature = "stock-linker")))]
mod trap;
#[cfg(any(doc, not(feature = "stock-linker")))]
pub mod warp;

/// Paths for this crate's macros, which a `core` or a macro of their user cannot shadow.
#[doc(hidden)]
pub mod __private {
    pub use core;
}

/// Stand-in for the macro of the typed layer, which the feature `stock-linker` leaves out.
#[cfg(all(feature = "stock-linker", not(doc)))]
#[macro_export]
macro_rules! shared_memory {
    ($($item:tt)*) => {
        ::core::compile_error!(
            "`shared_memory!` belongs to the typed layer, which `ptx` lacks under its feature `stock-linker`: without the \
             marks of `ptx-link`, LLVM may copy and merge the barriers that safe code relies on. Build with `ptx-link` and \
             without that feature, or use `ptx::raw`"
        );
    };
}
