//! Host side (CUDA driver API): loads modules, allocates device memory, makes streams and tensor maps, and launches kernels.
//!
//! [`Device::open`] loads `libcuda` at run time, so a program builds without CUDA. Without a driver, the program gets
//! [`Error::NoDriver`]. Every error says which operation failed, with CUDA's own error name and text.
//!
//! ```no_run
//! use std::time::Duration;
//! use ptx_host::{Device, DeviceBuffer, DevicePtr, LaunchConfig, Module, Stream};
//!
//! # fn main() -> ptx_host::Result<()> {
//! let device = Device::open(0)?;
//! let module = Module::load(&device, "scale.ptx")?;
//! let scale = module.kernel::<(f32, DevicePtr<f32>, u64)>("scale")?;
//! let stream = Stream::new(&device)?;
//! let mut values = DeviceBuffer::from_slice(&device, &[1.0f32; 256])?;
//! let (pointer, len) = (values.as_mut_slice().as_mut_ptr(), values.len() as u64);
//! // SAFETY: `scale` reads and writes the `len` floats at `pointer`, which the buffer `values` holds.
//! unsafe { scale.launch(&stream, &LaunchConfig::new(1, 256), (2.0, pointer, len))? };
//! stream.wait(Duration::from_secs(1))?;
//! assert_eq!(values.as_slice().to_vec()?, [2.0; 256]);
//! # Ok(())
//! # }
//! ```
#![deny(missing_docs, unsafe_op_in_unsafe_fn)]

mod device;
mod error;
mod graph;
mod kernel;
mod launch;
mod memory;
mod module;
mod stream;
mod tensor;

pub use device::{Device, DeviceInfo, DriverVersion};
pub use error::{CudaError, Error, Result};
pub use graph::Graph;
pub use kernel::{Kernel, KernelArg, KernelArgs};
pub use launch::{Dim3, LaunchConfig, LaunchProblem};
pub use memory::{DeviceBuffer, DevicePtr, DeviceSlice, DeviceSliceMut, PinnedBuffer};
pub use module::Module;
pub use stream::{Event, Stream};
pub use tensor::{
    ElementType, Interleave, L2Promotion, OobFill, Swizzle, TensorElement, TensorMap, TensorMapBuilder,
};
