//! Runs the kernels of `ptx` on a GPU, checks every element of their results, and times them.
//!
//! Each check runs in a process of its own, so that a hang, a crash or an error that stays with the context takes no
//! other check with it.
#![deny(missing_docs, unsafe_op_in_unsafe_fn)]

pub mod axpy_bulk;
pub mod suite;

mod axpy_checks;
mod bench;
mod check;
mod cli;
mod data;
mod host_checks;
mod kernels;
mod library_checks;
mod math_checks;
mod report;
mod runner;
mod sweep;
mod tensor_checks;

pub use cli::main;
