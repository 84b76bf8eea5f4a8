// The crate's page is the README. `tests/readme.rs` compiles its kernel for the device, which doctests cannot do.
#![cfg_attr(all(doc, not(doctest)), doc = ptx_macros::page!("README.md"))]
#![cfg_attr(not(doc), doc = "See the README.")]
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(asm_experimental_arch, core_float_math, stdarch_nvptx))]
#![cfg_attr(all(target_arch = "nvptx64", probe), feature(abi_ptx))]
#![cfg_attr(
    all(target_arch = "nvptx64", feature = "stock-linker"),
    feature(core_intrinsics, asm_goto_with_outputs),
    allow(internal_features)
)]

// The macros use the path `::ptx`, also in this crate.
extern crate self as ptx;

/// Half precision: the elements `.f16` and `.bf16`, on the device and on the host. [`math`] computes with them.
pub use half::{bf16, f16};

#[cfg(all(doc, not(doctest)))]
pub mod docs;
#[macro_use]
pub mod qualifier;
pub mod mask;
pub mod raw;

// Outside of `cfg_select!`, because rustc refuses a path to an exported macro that comes from the expansion of another macro.
#[cfg(any(doc, not(feature = "stock-linker")))]
mod expansion;

// The typed layer. Its safe code relies on barriers that stay where the source places them, and only the marks of `ptx-link`
// ensure that. Documentation is built with all features, so `doc` keeps the layer beside `stock-linker`.
cfg_select! {
    any(doc, not(feature = "stock-linker")) => {
        #[macro_use]
        mod checked;
        #[macro_use]
        mod mark;
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
        #[doc(hidden)]
        pub mod constant;
        pub mod cp_async;
        pub mod fence;
        mod fp8;
        pub mod global;
        pub mod group;
        #[cfg(not(target_arch = "nvptx64"))]
        mod host;
        pub mod launch;
        pub mod math;
        pub mod mbarrier;
        pub mod multimem;
        mod parameter;
        pub mod pipeline;
        pub mod print;
        pub mod reduce;
        pub mod registers;
        pub mod shared;
        mod size;
        mod special_register;
        #[cfg(tcgen05)]
        pub mod tcgen05;
        pub mod tensor;
        mod trap;
        pub mod warp;
        // The gate `wgmma`, in words that the error of a use without it has.
        #[cfg(all(feature = "tensor", feature = "sm_90a"))]
        pub mod wgmma;
        mod words;

        /// Derives [`launch::Plain`] for a `repr(C)` struct of plain fields: the host passes the struct to a kernel by value.
        ///
        /// ```
        /// #[derive(ptx::Plain, Clone, Copy)]
        /// #[repr(C)]
        /// struct Blur { radius: u32, weights: [f32; 8] }
        ///
        /// #[ptx::kernel(threads = 128)]
        /// fn blur(cta: ptx::group::Cta, blur: Blur, image: ptx::global::Global<f32>) { /* … */ }
        /// ```
        pub use ptx_macros::Plain;

        pub use trap::trap;

        /// Makes a function a kernel (`__global__`, `__launch_bounds__`, `__cluster_dims__`).
        ///
        /// On the device the function becomes an entry of its name. On every target its name becomes a unit struct that
        /// implements [`launch::Kernel`]: `ptx-host` makes a typed launcher of it. The body is compiled for the device alone, so
        /// the same crate is a `cdylib` for the device and a library for the host, on stable Rust.
        ///
        /// | Argument | Meaning | PTX |
        /// |---|---|---|
        /// | `unsafe(uniform)` | the author's word, in place of the proof of `ptx-link`: the kernel makes collective calls in uniform control flow, as [`Cta::enter`](group::Cta::enter) says | none |
        /// | `threads = 256`, `(32, 8)`, `(8, 8, 4)` | the threads of the block | `.reqntid` |
        /// | `max_threads = 1024`, `(32, 32)`, … | in place of `threads`: each launch has a block of its own, of at most these threads | `.maxntid` |
        /// | `cluster = 2`, `(2, 2)`, … | the CTAs of a cluster | `.explicitcluster`, `.reqnctapercluster` |
        /// | `min_ctas = 2` | CTAs for which a multiprocessor has registers at the same time | `.minnctapersm` |
        /// | `max_registers = 128` | registers of a thread | `.maxnreg` |
        /// | `any_grid` | the grid may have more than one CTA, or cluster, in y and z | none |
        /// | `instances(<f32, 128>, <f64, 64>)` | the instances of a generic kernel | an entry for each |
        ///
        /// `threads` or `max_threads` is required. The values are constant expressions. `ptx-link` proves that the kernel keeps the
        /// contract of [`Cta::enter`](group::Cta::enter), and refuses a kernel of which it cannot, unless `unsafe(uniform)` is stated.
        ///
        /// | Parameter | Value |
        /// |---|---|
        /// | the first, `cta: Cta` | the thread's block |
        /// | `#[shared] smem: Smem` | static shared memory, which [`shared_memory!`] declares |
        /// | `#[dynamic] ring: RingMemory<…>` | dynamic shared memory: a place, a tuple of places, or [`DynamicShared`](shared::DynamicShared); the launch adds the bytes |
        /// | `#[len(n)] x: Global<f32>`, and the other slices | the first `n` elements of the memory that the host passes, for a parameter `n` (`u32`, `u64`, `usize`) or a constant |
        /// | `#[len(rows, columns)] a: GlobalMatrix<f32>`, and the other matrices | a matrix of these extents |
        /// | any other | what the host passes: see [`launch::Parameter`] |
        ///
        /// The host passes each parameter by value, as a grid constant (`__grid_constant__`): `.param .align A .b8 name[SIZE]`. A
        /// tensor map's address comes from `cvta.param`.
        ///
        /// With `#[len(n)]` several memories share one length, so the compiler knows that an index into the one is in bounds of the
        /// other, and a length from a `u32` has 32 bits. The host refuses a launch with memory of fewer elements.
        ///
        /// A kernel with generic parameters (`template`) states its instances. Each becomes an entry, named after the kernel and the
        /// words of its arguments: `scale::<f32, 128>` is `scale_f32_128`. The host launches it by `kernels.kernel(scale::<f32, 128>)`.
        /// Each instance is compiled as a function of its own, in which a type parameter is an alias and a constant parameter a
        /// constant. So the shape may depend on them, and `{ 4 * N }` can be the length of an array. A generic kernel stands in a
        /// module, not in a function.
        ///
        /// An `unsafe fn` has an unsafe launch, whose caller keeps the function's `# Safety` section. The crate has the features
        /// `abi_ptx` and `asm_experimental_arch` on the device.
        ///
        /// ```
        /// use ptx::global::{Global, GlobalMut};
        /// use ptx::group::Cta;
        /// use ptx::pipeline::RingMemory;
        ///
        /// /// y ← a·x + y, by bulk copies through a ring of two stages.
        /// #[ptx::kernel(threads = 256, min_ctas = 2)]
        /// pub fn axpy(
        ///     cta: Cta,
        ///     #[dynamic] ring: RingMemory<[f32; 3584], 2>,
        ///     a: f32,
        ///     x: Global<f32>,
        ///     y: GlobalMut<f32, 3584>,
        /// ) {
        ///     let (x, x_tail) = x.tiles::<3584>();
        ///     let (y, y_tail) = y.tiles(&cta);
        ///     y_tail.update(&cta, |i, y| x_tail.get(i).map_or(y, |x| a * x + y));
        ///     cta.finish(ring, |cta, ring| ring.update_all(cta, [x], y, |[x], y| a * x + y).end());
        /// }
        /// ```
        ///
        /// ```
        /// mod kernels {
        ///     use ptx::global::{Global, GlobalVectorsMut};
        ///     use ptx::group::Cta;
        ///     use ptx::shared::Element;
        ///
        ///     /// Copies `N` vectors of 16 bytes a thread.
        ///     #[ptx::kernel(threads = 256, instances(<f32, 4>, <f32, 8>, <u64, 4>))]
        ///     pub fn copy_vectors<T: Element, const N: usize>(cta: Cta, x: Global<T>, y: GlobalVectorsMut<T>) {
        ///         let first = (cta.grid_rank() * 256 + cta.thread_rank()) as usize;
        ///         let x = x.get_vectors::<N, 256>(first);
        ///         for ((_, y), x) in y.vectors(&cta).0.zip(x.into_iter().flatten()) {
        ///             y.write(x);
        ///         }
        ///     }
        /// }
        /// type Kernel = kernels::copy_vectors<u64, 4>; // its entry is `copy_vectors_u64_4`
        /// ```
        pub use ptx_macros::kernel;

        /// Prints from a kernel (`printf`), without a line feed. The module [`print`](mod@print) has the placeholders.
        ///
        /// ```
        /// # fn kernel(flags: &[u32]) {
        /// for (i, flag) in flags.iter().enumerate() {
        ///     ptx::print!("{i}: {flag:#010x} ");
        /// }
        /// ptx::println!();
        /// # }
        /// ```
        pub use ptx_macros::print;

        /// Prints a line from a kernel (`printf`). The module [`print`](mod@print) has the placeholders.
        ///
        /// ```
        /// # fn kernel(cta: &ptx::group::Cta, x: f32) {
        /// if x.is_nan() {
        ///     ptx::println!("thread {} of CTA {} has {x}", cta.thread_rank(), cta.grid_rank());
        /// }
        /// # }
        /// ```
        pub use ptx_macros::println;
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
    pub use ptx_macros::at_type;

    #[cfg(any(doc, not(feature = "stock-linker")))]
    pub use crate::trap::{print_panic, trap_in_panic};
}
