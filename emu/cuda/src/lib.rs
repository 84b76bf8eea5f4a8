//! The CUDA driver on a machine without a GPU: a shared library with the functions of `libcuda.so.1`, which runs kernels in the
//! interpreter [`ptx_emu`].
//!
//! The device is like an H200: compute capability 9.0, 132 multiprocessors, clusters, cooperative launches. It runs PTX, but no
//! machine code. Every call runs to its end before it returns, which is one of the orders that CUDA allows.
// The names are those of the driver's functions.
#![allow(non_snake_case)]

mod attributes;
mod boundary;
mod copy;
mod driver;
mod environment;
mod errors;
mod exports;
mod functions;
mod interrupt;
mod launch;
mod memory;
mod tensor;
mod work;
