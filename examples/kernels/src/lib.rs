//! The kernels of the examples. On the host, this library describes their launches.

#![cfg_attr(target_arch = "nvptx64", no_std, feature(abi_ptx, asm_experimental_arch))]
#![cfg_attr(not(target_arch = "nvptx64"), allow(dead_code, unused_imports))]

mod accumulate;
mod axpy;
mod histogram;
mod look_back;
mod matrix_vector;
mod pipelined_sum;
mod rms_norm;
mod scan;
mod softmax;
mod stencil;
mod sum;
mod transposition;
mod vector_add;

pub use accumulate::accumulate_sums;
pub use axpy::axpy_tiles;
pub use histogram::count_bytes;
pub use look_back::scan_by_look_back;
pub use matrix_vector::multiply_by_vector;
pub use pipelined_sum::sum_in_parts;
pub use rms_norm::normalize_rows;
pub use scan::{scan_tiles, total_tiles};
pub use softmax::softmax_rows;
pub use stencil::smooth;
pub use sum::sum_elements;
pub use transposition::transpose;
pub use vector_add::add_vectors;

ptx::panic_handler!();
