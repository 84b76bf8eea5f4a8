//! Runs the kernels of `ptx` on a GPU, or in the interpreter, checks every element of their results, and times them.
//!
//! Each check runs in its own process, so a hang, a crash or a sticky error of the CUDA context does not affect other checks.
//!
//! A check of kernels is generic over the device (`device::Device`). On a GPU alone run the checks of `ptx-host`, which test the host
//! library by its driver; bandwidths, benchmarks and the sweep, which are times; the soak, which tests hardware by the number of
//! runs; compute-sanitizer; and the litmus tests, which count what hardware does: `ptx-emu` has tests of its own for them, over all
//! schedules.

mod attention_backward_checks;
mod attention_checks;
mod axpy_bulk;
mod axpy_checks;
mod bench;
mod check;
mod checked_checks;
mod cli;
mod data;
mod decode_checks;
mod device;
mod device_checks;
mod entry;
mod gemm_checks;
mod gpu;
mod guard;
mod half_checks;
mod host_checks;
mod image;
mod kernels;
mod library_checks;
mod litmus_checks;
mod math_checks;
mod memory;
mod options;
mod output;
mod primitive_checks;
mod registry;
mod report;
mod runner;
mod sanitize;
mod shape;
mod soak;
mod suite;
mod sweep;
mod tensor_checks;
mod typed_checks;

pub use cli::main;
