// The crate's page is the README. `tests/readme.rs` compiles its kernel for the device, which doctests cannot do.
#![cfg_attr(not(doctest), doc = include_str!("../README.md"))]
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(asm_experimental_arch, core_float_math, stdarch_nvptx))]
#![cfg_attr(all(target_arch = "nvptx64", probe), feature(abi_ptx))]
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
cfg_select! {
    any(doc, not(feature = "stock-linker")) => {
        #[macro_use]
        mod states;
        pub mod async_group;
        pub mod atomic;
        pub mod barrier;
        pub mod bulk;
        pub mod cache_policy;
        pub mod cluster;
        #[cfg(feature = "sm_100")]
        pub mod clusterlaunchcontrol;
        pub mod cp_async;
        pub mod fence;
        pub mod global;
        mod group;
        pub mod launch;
        pub mod math;
        pub mod mbarrier;
        pub mod multimem;
        pub mod pipeline;
        pub mod reduce;
        pub mod registers;
        pub mod shared;
        mod size;
        mod special_register;
        pub mod tensor;
        mod trap;
        pub mod warp;
    }
    _ => {
        /// Stand-in for the macro of the typed layer, which the feature `stock-linker` leaves out.
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
    }
}

/// Paths for this crate's macros, which a `core` or a macro of their user cannot shadow.
#[doc(hidden)]
pub mod __private {
    pub use core;
}
