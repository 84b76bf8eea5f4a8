//! What a launch of a kernel of `ptx` is, whatever runs it: its shape, its arguments, its tensor maps, and the rules of these.
//!
//! A backend implements [`Function`] for its kernels, [`Memory`] and [`MemoryMut`] for its memory, and loads kernels.
//! [`Launcher`] then launches them by the types of `#[ptx::kernel]`. `ptx-host` is the backend for CUDA; it exports all of this
//! crate, so a program names `ptx-host` alone. An emulator is another backend.
#![deny(missing_docs, unsafe_op_in_unsafe_fn)]

mod argument;
mod arguments;
mod config;
mod launcher;
mod memory;
mod tensor;

pub use argument::{Argument, Matrix, Tensor};
pub use arguments::{Arguments, ByName, KernelArguments, NoPadding};
pub use config::{Dim3, LaunchConfig, LaunchLimits, LaunchProblem};
pub use launcher::{Function, Grid, Launcher};
pub use memory::{Memory, MemoryMut, Region};
pub use tensor::{
    CUtensorMapDataType, CUtensorMapFloatOOBfill, CUtensorMapInterleave, CUtensorMapL2promotion,
    CUtensorMapSwizzle, TensorElement, TensorMapBuilder, TensorMapMode, TensorMapParameters,
    TensorMapProblem, TensorMemory,
};
