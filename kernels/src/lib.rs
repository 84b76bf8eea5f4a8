//! Example kernels on `ptx`, one topic per module. Each kernel's documentation gives the result, the launch shape and the
//! technique. They are entries without `#[ptx::kernel]`, which the checks launch by name; the kernels of `examples/` have the
//! attribute.

#![no_std]
#![feature(abi_ptx, asm_experimental_arch, core_float_math)]

mod atomic;
mod axpy;
mod axpy_bulk;
mod barrier;
mod bulk_reduce;
mod byte_histogram;
mod cluster;
mod cluster_atomics;
#[cfg(not(any(feature = "sm_90", feature = "sm_90a")))]
mod clusterlaunchcontrol;
mod cp_async;
mod fence;
mod group;
mod launch;
mod math;
mod matrix_product;
mod matrix_vector;
mod mbarrier;
mod multimem;
mod pipeline;
mod reduce;
mod rms_norm;
mod row_softmax;
mod shared;
mod tensor;
mod tensor_multicast;
#[cfg(not(any(feature = "sm_90", feature = "sm_100")))] // `tensormap.replace`
mod tensor_retype;
#[cfg(not(any(feature = "sm_90", feature = "sm_100")))] // `tensormap.replace`
mod tensor_sum;
mod warp;

ptx::panic_handler!();
