//! Host side of the kernels of `ptx`: loads modules, checks and launches kernels, and encodes tensor maps.
//!
//! Memory, streams, events and graphs are those of [`cudarc`], which this crate re-exports; a [`ForeignSlice`] is memory of another
//! library. [`open`] loads `libcuda` at run time, so a program builds without CUDA. Every error of this crate says what failed and
//! what to do. Shapes, arguments, the typed launcher and the rules of tensor maps need no driver: they are those of
//! [`ptx_launch`], all of which this crate exports.
//!
//! ```no_run
//! use std::time::Duration;
//! use ptx_host::{LaunchConfig, Module};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let context = ptx_host::open(0)?;
//! let stream = context.default_stream();
//! let scale = Module::load(&context, "scale.ptx")?.kernel_by_name("scale")?;
//! let mut values = stream.clone_htod(&[1.0f32; 256])?;
//! // SAFETY: `scale` multiplies 256 floats by its first parameter, and has no other parameter than their address.
//! unsafe { scale.launch(&stream, &LaunchConfig::new(1, 256), (2.0f32, &mut values))? };
//! ptx_host::wait(&stream, Duration::from_secs(1))?;
//! assert_eq!(stream.clone_dtoh(&values)?, [2.0; 256]);
//! # Ok(())
//! # }
//! ```

/// The pages of the book, whose blocks are doctests.
#[cfg(doctest)]
mod book {
    macro_rules! pages {
        ($($page:ident)*) => { $(
            #[doc = include_str!(concat!("../../docs/book/src/", stringify!($page), ".md"))]
            mod $page {}
        )* };
    }
    pages! {
        introduction first_kernel shared_memory mbarriers bulk_copies tensor_maps clusters atomics_and_fences half_precision pipelines tensor_cores
        testing performance recipes recipes_large porting without_the_tools soundness faq
    }
}

pub mod bench;
mod context;
mod error;
mod image;
mod kernel;
mod kernels;
mod memory;
mod module;
mod reset;
mod tensor;

pub use context::{driver_version, open, wait};
pub use cudarc;
pub use error::{CudaError, Error, Result, StreamProblem};
pub use image::Image;
pub use kernel::{Kernel, KernelArgs, KernelAttributes, Launcher};
pub use kernels::{Kernels, LoadedKernels};
pub use memory::{ForeignSlice, InUse};
pub use module::{JitOptions, Module};
#[doc(inline)]
pub use ptx_launch::*;
pub use reset::{Reset, ToCopy, ToZero};
pub use tensor::TensorMap;

/// Paths for the macro `kernels!`, which its user cannot shadow.
#[doc(hidden)]
pub mod __private {
    pub use ptx_launch::{__images, Images};
}

/// Returns the [`Kernels`] that `ptx-build` has compiled in the build script of this crate. An argument names another file than
/// `ptx_kernels`. The file has to say, by the word `unsafe(made_by_ptx_link)`, that its images are those of `ptx-link`; what
/// `ptx-build` generates does.
///
/// ```ignore
/// let kernels = ptx_host::kernels!().load(&context)?;
/// let axpy = kernels.kernel(my_kernels::axpy)?;
/// ```
#[macro_export]
macro_rules! kernels {
    () => {
        $crate::kernels!("ptx_kernels")
    };
    ($name:literal) => {{
        // SAFETY: the images are those that `ptx-link` made (`Images`).
        const KERNELS: $crate::Kernels<'static> = unsafe {
            $crate::Kernels::new($name, $crate::__private::Images::get($crate::__private::__images!($name)))
        };
        KERNELS
    }};
}
