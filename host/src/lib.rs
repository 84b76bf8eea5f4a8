//! Host side of the kernels of `ptx`: loads modules, checks and launches kernels, and encodes tensor maps.
//!
//! Memory, streams, events and graphs are those of [`cudarc`], which this crate re-exports. [`open`] loads `libcuda` at run time,
//! so a program builds without CUDA. Every error of this crate says what failed and what to do.
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
#![deny(missing_docs, unsafe_op_in_unsafe_fn)]

mod arguments;
mod context;
mod error;
mod image;
mod kernel;
mod launch;
mod module;
mod tensor;

pub use arguments::{KernelArg, KernelArgs};
pub use context::{DriverVersion, driver_version, open, wait};
pub use cudarc;
pub use cudarc::driver::sys::{
    CUtensorMapDataType, CUtensorMapFloatOOBfill, CUtensorMapInterleave, CUtensorMapL2promotion,
    CUtensorMapSwizzle,
};
pub use error::{CudaError, Error, Result};
pub use image::Image;
pub use kernel::{Kernel, KernelAttributes};
pub use launch::{Dim3, LaunchConfig, LaunchProblem};
pub use module::{JitOptions, Module};
pub use tensor::{TensorElement, TensorMap, TensorMapBuilder};
