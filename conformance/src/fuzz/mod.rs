//! Random kernels of plain instructions, run in the interpreter and on a GPU.

mod departures;
pub mod forms;
pub mod generate;
pub mod gpu;
pub mod grammar;
pub mod kernel;
pub mod report;
pub mod run;
pub mod shrink;
