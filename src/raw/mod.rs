//! One function per PTX instruction, one PTX instruction per call (libcu++: `cuda::ptx`).
//!
//! A function has the name of the instruction, with underscores for dots. PTX qualifiers are arguments from
//! [`qualifier`](crate::qualifier), in the order of the PTX syntax. Operands that are optional in PTX (a cache policy, a
//! suspend-time hint) are qualifiers too, and come last: `cache_hint::None` or `cache_hint::Policy(policy)`. The emitted text
//! spells out every default.
//!
//! Addresses in `.shared::cta` and `.shared::cluster` are the 32-bit addresses of those windows, as `mov.u32` and
//! `mapa.shared::cluster.u32` return them. Global and generic addresses are pointers. Where the space is a qualifier, the type of
//! the address is `Space::Address` ([`AddressSpace`](crate::qualifier::AddressSpace)).
//!
//! The instructions of tensor cores (`ldmatrix`, `mma`, `wgmma`, `tcgen05` and their like) exist with the feature `tensor`.
//!
//! On targets other than `nvptx64` the functions type-check, and a call panics with the name of the instruction.
//!
//! # Tensor maps
//!
//! Tensor copies, reductions and prefetches (TMA) take the generic address of a tensor map (`CUtensorMap`), which must be valid:
//! - the map has 128 bytes, aligned to 64, in `.param`, `.const` or global memory;
//! - the map has the dimension and the mode of the instruction;
//! - the tensor of the map is valid and meets the restrictions of PTX ISA 9.7.9.25.5.1;
//! - earlier ordinary stores to the map are visible to the tensormap proxy (`fence.proxy.tensormap`).

#[macro_use]
#[allow(unused_macros, reason = "off the device nothing is emitted, and a gate may be without a tag")]
mod macros;
#[cfg(all(probe, target_arch = "nvptx64"))]
pub(crate) use probe;

/// Reads an operand for a probe.
#[cfg(all(probe, target_arch = "nvptx64"))]
#[inline(always)]
pub(crate) unsafe fn read<T: Copy>(operands: *mut u64) -> T {
    // SAFETY: a probe is compiled for its text and never run.
    unsafe { core::ptr::read_volatile(operands.cast::<T>()) }
}

// Families whose macros, such as sets of tags, other families use.
#[macro_use]
mod createpolicy;
#[macro_use]
mod atom;
#[macro_use]
mod atom_vector;
#[macro_use]
mod cp_async_bulk;
#[macro_use]
mod cp_async_bulk_tensor;
#[macro_use]
mod cp_reduce_async_bulk;
#[macro_use]
mod ld_st;
#[macro_use]
mod red;
#[macro_use]
mod cvta;

mod activemask;
mod applypriority_async_bulk;
mod applypriority_async_bulk_tensor;
mod bar_warp_sync;
mod barrier;
mod barrier_cluster;
mod clusterlaunchcontrol;
mod cp_async;
mod cp_async_bulk_commit_group;
mod cp_async_bulk_ignore_oob;
mod cp_async_bulk_prefetch;
mod cp_async_bulk_prefetch_tensor;
mod cp_async_bulk_wait_group;
mod cp_reduce_async_bulk_tensor;
mod cvt;
mod elect_sync;
mod fabric;
mod fence;
mod getctarank;
mod griddepcontrol;
mod half_precision;
mod isspacep;
mod mapa;
mod match_sync;
mod math;
mod mbarrier;
mod mixed_precision;
mod multimem;
mod multimem_async;
mod multimem_cp_async_bulk;
mod multimem_cp_reduce_async_bulk;
mod nanosleep;
mod prefetch;
mod prefetch_tensormap;
mod red_async;
mod red_vector;
mod redux_sync;
mod setmaxnreg;
mod shfl_sync;
mod special;
mod st_async;
mod st_bulk;
mod tensormap;
mod tensormap_cp_fenceproxy;
mod vote;

// The families of tensor cores. Without their feature, a row is a stand-in, so that the error of a call names the feature.
#[cfg(not(feature = "tensor"))]
macro_rules! closed {
    ($gate:ident) => {
        $crate::raw::macros::closed::tensor::an_instruction_of_the_feature_tensor
    };
}
#[cfg(not(feature = "tensor"))]
macro_rules! instruction {
    ($( #[$doc:meta] )* $( @$safety:ident )? fn $name:ident $( $row:tt )*) => {
        #[allow(non_upper_case_globals)]
        #[doc(hidden)]
        pub const $name: closed!(tensor) = closed!(tensor);
    };
}
#[cfg(not(feature = "tensor"))]
macro_rules! legal {
    ($( $sets:tt )*) => {};
}
#[cfg_attr(not(feature = "tensor"), allow(unused))]
#[macro_use]
mod mma;
#[cfg_attr(not(feature = "tensor"), allow(unused))]
mod ldmatrix;
#[cfg_attr(not(feature = "tensor"), allow(unused))]
mod mma_sp;
#[cfg_attr(not(feature = "tensor"), allow(unused))]
mod movmatrix;
#[cfg_attr(not(feature = "tensor"), allow(unused))]
mod stmatrix;
#[cfg_attr(not(feature = "tensor"), allow(unused))]
#[macro_use]
mod tcgen05_alloc;
#[cfg_attr(not(feature = "tensor"), allow(unused))]
mod tcgen05_cp;
#[cfg_attr(not(tcgen05), allow(unused))]
mod tcgen05_ld_st;
#[cfg_attr(not(feature = "tensor"), allow(unused))]
mod tcgen05_mma;
#[cfg_attr(not(feature = "tensor"), allow(unused))]
mod tcgen05_sync;
#[cfg_attr(not(feature = "tensor"), allow(unused))]
#[allow(unused_macros, reason = "the rows need a gate that few targets have")]
mod wgmma;

pub use {
    activemask::*, applypriority_async_bulk::*, applypriority_async_bulk_tensor::*, atom::*, atom_vector::*,
    bar_warp_sync::*, barrier::*, barrier_cluster::*, clusterlaunchcontrol::*, cp_async::*, cp_async_bulk::*,
    cp_async_bulk_commit_group::*, cp_async_bulk_ignore_oob::*, cp_async_bulk_prefetch::*,
    cp_async_bulk_prefetch_tensor::*, cp_async_bulk_tensor::*, cp_async_bulk_wait_group::*,
    cp_reduce_async_bulk::*, cp_reduce_async_bulk_tensor::*, createpolicy::*, cvt::*, cvta::*, elect_sync::*,
    fabric::*, fence::*, getctarank::*, griddepcontrol::*, half_precision::*, isspacep::*, ld_st::*, mapa::*,
    match_sync::*, math::*, mbarrier::*, mixed_precision::*, multimem::*, multimem_async::*,
    multimem_cp_async_bulk::*, multimem_cp_reduce_async_bulk::*, nanosleep::*, prefetch::*,
    prefetch_tensormap::*, red::*, red_async::*, red_vector::*, redux_sync::*, setmaxnreg::*, shfl_sync::*,
    special::*, st_async::*, st_bulk::*, tensormap::*, tensormap_cp_fenceproxy::*, vote::*,
};

// One line for the families, as above, which `./x row` reads.
#[rustfmt::skip]
pub use {
    ldmatrix::*, mma::*, mma_sp::*, movmatrix::*, stmatrix::*, tcgen05_alloc::*, tcgen05_cp::*, tcgen05_ld_st::*, tcgen05_mma::*,
    tcgen05_sync::*, wgmma::*,
};

/// Returns the bits of `from` as another type of the same size: the type of the register of a `typed` operand.
///
/// No `const` asserts the sizes: rustc would evaluate the `const` in each arm of the `match` on the tag, also in arms that are
/// not taken, where the sizes differ.
#[cfg(target_arch = "nvptx64")]
#[inline(always)]
pub(crate) unsafe fn cast<From: Copy, To: Copy>(from: From) -> To {
    #[repr(C)]
    union Bits<From: Copy, To: Copy> {
        from: From,
        to: To,
    }
    // SAFETY: the row of the tag pairs types of one size, and the bits of a value of one are a value of the other.
    unsafe { Bits { from }.to }
}

#[cfg(not(target_arch = "nvptx64"))]
#[cold]
fn off_target(instruction: &str) -> ! {
    panic!("`ptx::raw::{instruction}` runs on a GPU only: build for the target nvptx64-nvidia-cuda")
}
