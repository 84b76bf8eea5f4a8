#![doc = include_str!("../README.md")]
#![allow(missing_docs, reason = "modules are public whose items only the tests of this package use")]

mod access;
mod agent;
mod arithmetic;
pub mod ast;
mod blocks;
mod clock;
mod collective;
mod copies;
mod decode;
pub mod device;
mod emulator;
mod exec;
mod explore;
mod expression;
pub mod finding;
pub mod float;
mod follow;
pub mod integer;
pub mod limits;
mod location;
mod lower;
pub mod machine;
mod mbarrier;
pub mod memory;
mod module;
pub mod op;
mod opcodes;
mod operands;
pub mod parse;
pub mod program;
mod run;
pub mod schedule;
mod shadow;
mod statics;
mod sync;
mod taint;
pub mod tensor;
mod tokens;
pub mod trace;
mod video;
mod video_decode;
mod weak;
mod word;
mod words;

pub use device::{Device, LaunchError, LoadError, Module, lay_out};
pub use emulator::{Emulator, Error, Kernel, Kernels, Slice, TensorMap};
pub use finding::{Finding, Party, Rule};
pub use machine::{Fault, Launch, Options, Readings, Report};
pub use ptx_launch::{CUtensorMapSwizzle, Grid, Launcher, Matrix, Tensor};
pub use schedule::Schedule;

/// Paths for the macro `kernels!`, which its user cannot shadow.
#[doc(hidden)]
pub mod __private {
    pub use ptx_launch::{__images, Images};
}
