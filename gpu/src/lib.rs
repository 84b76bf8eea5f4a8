//! Runs the kernels of `ptx` on a GPU, checks every element of their results, and times them.
//!
//! Each check runs in its own process, so a hang, a crash or a sticky error of the CUDA context does not affect other checks.

mod axpy_bulk;
mod axpy_checks;
mod bench;
mod check;
mod checked_checks;
mod cli;
mod data;
mod device;
mod device_checks;
mod entry;
mod guard;
mod host_checks;
mod image;
mod kernels;
mod library_checks;
mod litmus_checks;
mod math_checks;
mod memory;
mod options;
mod registry;
mod report;
mod runner;
mod sanitize;
mod soak;
mod suite;
mod sweep;
mod tensor_checks;
mod typed_checks;

pub use cli::main;
