//! One function per PTX instruction, one PTX instruction per call.
//!
//! A function bears the instruction's name with dots as underscores. What PTX writes as a qualifier is a value of
//! [`qualifier`](crate::qualifier), in the order of the syntax; so is an operand that PTX makes optional (a cache policy, a
//! suspend-time hint), behind the other operands: `cache_hint::None` or `cache_hint::Policy(policy)`. In the emitted text
//! every default is spelt out.
//!
//! Addresses in `.shared::cta` and `.shared::cluster` are the 32-bit addresses of those windows, as `mov.u32`
//! and `mapa.shared::cluster.u32` give them. Global and generic addresses are pointers. Where the space is a qualifier,
//! `Space::Address` is the one or the other ([`AddressSpace`](crate::qualifier::AddressSpace)).
//!
//! Off the device (any target but `nvptx64`) everything type-checks, and a call panics with the name of the
//! instruction.

#[macro_use]
#[allow(unused_macros, reason = "off the device nothing is emitted, and a gate may be without a tag")]
mod macros;
pub(crate) use probe;

/// An operand for a probe.
#[cfg(all(feature = "probe", target_arch = "nvptx64"))]
#[inline(always)]
pub(crate) unsafe fn read<T: Copy>(operands: *mut u64) -> T {
    // SAFETY: never run.
    unsafe { core::ptr::read_volatile(operands.cast::<T>()) }
}

// Others use their macros, the sets of tags among them.
#[macro_use]
mod createpolicy;
#[macro_use]
mod atom;
#[macro_use]
mod atom_vector;
#[macro_use]
mod cp_async_bulk_tensor;
#[macro_use]
mod cp_reduce_async_bulk;
#[macro_use]
mod ld_st;
#[macro_use]
mod red;

mod address;
mod barrier;
mod barrier_cluster;
mod bulk_groups;
mod clusterlaunchcontrol;
mod cp_async;
mod cp_async_bulk;
mod cp_async_bulk_prefetch;
mod cp_async_bulk_prefetch_tensor;
mod cp_reduce_async_bulk_tensor;
mod cvt;
mod fence;
mod griddepcontrol;
mod match_sync;
mod math;
mod mbarrier;
mod misc;
mod multimem;
mod multimem_cp_reduce_async_bulk;
mod red_async;
mod red_vector;
mod redux_sync;
mod shfl_sync;
mod special;
mod st_async;
mod st_bulk;
mod tensormap;
mod tensormap_cp_fenceproxy;
mod vote;
mod warp;

pub use address::*;
pub use atom::*;
pub use atom_vector::*;
pub use barrier::*;
pub use barrier_cluster::*;
pub use bulk_groups::*;
pub use clusterlaunchcontrol::*;
pub use cp_async::*;
pub use cp_async_bulk::*;
pub use cp_async_bulk_prefetch::*;
pub use cp_async_bulk_prefetch_tensor::*;
pub use cp_async_bulk_tensor::*;
pub use cp_reduce_async_bulk::*;
pub use cp_reduce_async_bulk_tensor::*;
pub use createpolicy::*;
pub use cvt::*;
pub use fence::*;
pub use griddepcontrol::*;
pub use ld_st::*;
pub use match_sync::*;
pub use math::*;
pub use mbarrier::*;
pub use misc::*;
pub use multimem::*;
pub use multimem_cp_reduce_async_bulk::*;
pub use red::*;
pub use red_async::*;
pub use red_vector::*;
pub use redux_sync::*;
pub use shfl_sync::*;
pub use special::*;
pub use st_async::*;
pub use st_bulk::*;
pub use tensormap::*;
pub use tensormap_cp_fenceproxy::*;
pub use vote::*;
pub use warp::*;

/// The same bits as another type of the same size: what a `typed` operand goes into its register as.
///
/// The sizes are not asserted: rustc evaluates the `const` of a call even in the arm of a `match const` that is not taken,
/// where the tag's type is another's.
#[cfg(target_arch = "nvptx64")]
#[inline(always)]
pub(crate) unsafe fn cast<From: Copy, To: Copy>(from: From) -> To {
    #[repr(C)]
    union Bits<From: Copy, To: Copy> {
        from: From,
        to: To,
    }
    // SAFETY: of one size by the tag's row, and any bit pattern is a value of a register's type and of a type tag's.
    unsafe { Bits { from }.to }
}

#[cfg(not(target_arch = "nvptx64"))]
#[cold]
fn off_target(instruction: &str) -> ! {
    panic!("`ptx::raw::{instruction}` runs on a GPU only: build for the target nvptx64-nvidia-cuda")
}
