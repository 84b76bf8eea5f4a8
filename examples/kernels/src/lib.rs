//! The kernels of the examples. On the host, this library describes their launches.

#![cfg_attr(target_arch = "nvptx64", no_std, feature(abi_ptx, asm_experimental_arch))]
#![cfg_attr(not(target_arch = "nvptx64"), allow(dead_code, unused_imports))]

mod accumulate;
mod histogram;
mod softmax;
mod transposition;
mod vector_add;

pub use accumulate::accumulate_sums;
pub use histogram::count_bytes;
pub use softmax::softmax_rows;
pub use transposition::transpose;
pub use vector_add::add_vectors;

ptx::panic_handler!();
