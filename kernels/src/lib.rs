//! Example kernels on `ptx`, one topic per module. Each kernel's documentation gives the result, the launch shape and the
//! technique; `n` is the length of the input.

#![feature(core_float_math)]
#![cfg_attr(target_arch = "nvptx64", no_std, feature(abi_ptx, asm_experimental_arch))]
#![cfg_attr(not(target_arch = "nvptx64"), allow(dead_code, unused_imports))]

pub mod add_rms_norm;
pub mod atomic;
// `wgmma`.
#[cfg(feature = "sm_90a")]
pub mod attention;
// `wgmma`.
#[cfg(feature = "sm_90a")]
pub mod attention_backward;
// `wgmma`.
#[cfg(feature = "sm_90a")]
pub mod attention_decode;
pub mod attention_plan;
pub mod axpy;
pub mod axpy_bulk;
pub mod barrier;
pub mod bulk_reduce;
pub mod byte_histogram;
pub mod cluster;
pub mod cluster_atomics;
#[cfg(feature = "sm_100")]
pub mod clusterlaunchcontrol;
pub mod cp_async;
pub mod device_sum;
pub mod embedding;
pub mod fence;
// `wgmma`.
#[cfg(feature = "sm_90a")]
pub mod gemm;
#[cfg(not(target_arch = "nvptx64"))]
pub mod gemm_plan;
// `tcgen05`.
#[cfg(any(feature = "sm_100f", feature = "sm_110f"))]
pub mod gemm_tcgen05;
pub mod group;
pub mod int4_matrix_vector;
pub mod launch;
pub mod layer_norm_backward;
pub mod look_back_scan;
pub mod math;
pub mod matrix_product;
pub mod matrix_vector;
pub mod mbarrier;
pub mod multimem;
pub mod pipeline;
pub mod radix_sort;
pub mod reduce;
pub mod rms_norm;
pub mod rotary_embedding;
pub mod row_softmax;
pub mod segmented_sum;
pub mod shared;
#[cfg(feature = "sm_90a")]
mod softmax;
pub mod tensor;
pub mod tensor_multicast;
// `tensormap.replace`.
#[cfg(any(feature = "sm_90a", feature = "sm_100f", feature = "sm_110f", feature = "sm_120f"))]
pub mod tensor_retype;
// `tensormap.replace`.
#[cfg(any(feature = "sm_90a", feature = "sm_100f", feature = "sm_110f", feature = "sm_120f"))]
pub mod tensor_sum;
pub mod top_k;
pub mod warp;

ptx::panic_handler!();
