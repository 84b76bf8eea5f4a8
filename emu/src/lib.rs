#![doc = include_str!("../README.md")]

mod address;
mod device;
mod emulator;
mod execution;
mod finding;
mod frontend;
pub mod limits;
mod numbers;
mod options;
mod order;
mod report;
mod schedule;
pub mod tensor;
mod trace;

pub use device::{Attributes, Device, Exploration, LaunchError, LoadError, Module, lay_out};
pub use emulator::{Emulator, Error, Kernel, Kernels, Slice, TensorMap};
pub use finding::{Finding, Party, Rule};
pub use frontend::op::Parameter;
pub use frontend::parse::ParseError;
pub use frontend::program::DecodeError;
pub use numbers::float::Format;
pub use options::{Launch, Options, Progress, Readings};
pub use ptx_launch::{CUtensorMapSwizzle, Grid, LaunchConfig, Launcher, Matrix, Tensor};
pub use report::{Fault, FaultKind, Report};
pub use schedule::{Agents, Schedule};
pub use trace::Trace;

/// Paths for the macro `kernels!`, which its user cannot shadow.
#[doc(hidden)]
pub mod __private {
    pub use ptx_launch::{__images, Images};
}
