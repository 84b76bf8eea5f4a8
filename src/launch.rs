//! The kernel's entry: where a thread becomes part of its CTA, and the CTA gets its shared memory.

use core::marker::PhantomData;

use crate::raw;
use crate::shared::{DynamicShared, SharedMemory};

/// The executing CTA, as each of its threads holds it.
///
/// Methods that take a `&Cta` are *collective*: every thread of the CTA calls them, in the same order. Where one
/// thread has to issue an instruction, it is the elected one, [`Cta::is_elected`]. The value has no size.
#[derive(Debug)]
pub struct Cta {
    /// Bound to its thread.
    _thread: PhantomData<*mut ()>,
}

static_assertions::const_assert_eq!(size_of::<Cta>(), 0);
static_assertions::assert_not_impl_any!(Cta: Copy, Clone, Send, Sync);

impl Cta {
    /// Enters the kernel: gives the CTA, the shared memory that the kernel declares (`()` for none, else a struct
    /// of [`shared_memory!`](crate::shared_memory)), and the shared memory that the launch adds.
    ///
    /// # Safety
    ///
    /// This is the one obligation that types cannot carry:
    ///
    /// - every thread of the CTA calls `enter`, and once only, at the kernel's start;
    /// - all threads of the CTA make the same sequence of collective calls (those that take this `Cta`, or a
    ///   handle obtained through it), each on the same handles, and with equal arguments where an argument steers
    ///   which calls come next;
    /// - all threads of all CTAs of a cluster make the same sequence of *cluster calls* ([`Cta::cluster`], and those
    ///   that take its [`Cluster`](crate::cluster::Cluster) or what became of it), each with equal arguments but for
    ///   sources and values, and on handles that lie at the same place in the shared memory of each CTA;
    /// - the grid has fewer than 2^32 CTAs;
    /// - nothing else in the kernel uses the memory of `S`, the launch's shared memory, the barriers 0 to 15, or the
    ///   cluster's barrier.
    #[inline(always)]
    pub unsafe fn enter<S: SharedMemory>() -> (Cta, S, DynamicShared) {
        // SAFETY: the caller enters once, so each piece of shared memory is given out once.
        unsafe { (Cta { _thread: PhantomData }, S::claim(), DynamicShared::claim()) }
    }

    /// The thread's rank in the CTA, x fastest.
    #[inline(always)]
    pub fn thread_rank(&self) -> u32 {
        raw::tid_x() + raw::ntid_x() * (raw::tid_y() + raw::ntid_y() * raw::tid_z())
    }

    /// The number of threads of the CTA.
    #[inline(always)]
    pub fn thread_count(&self) -> u32 {
        raw::ntid_x() * raw::ntid_y() * raw::ntid_z()
    }

    /// The CTA's rank in the grid, x fastest.
    #[inline(always)]
    pub fn rank(&self) -> u32 {
        raw::ctaid_x() + raw::nctaid_x() * (raw::ctaid_y() + raw::nctaid_y() * raw::ctaid_z())
    }

    /// The number of CTAs of the grid.
    #[inline(always)]
    pub fn count(&self) -> u32 {
        raw::nctaid_x() * raw::nctaid_y() * raw::nctaid_z()
    }

    /// Whether this is the thread that issues what one thread has to issue: the one of rank 0.
    #[inline(always)]
    pub fn is_elected(&self) -> bool {
        (raw::tid_x() | raw::tid_y() | raw::tid_z()) == 0
    }

    /// Waits for all threads of the CTA; what each wrote before is visible to all after.
    ///
    /// PTX: `barrier.cta.sync 0;`
    #[inline(always)]
    pub fn sync(&self) {
        self.sync_on::<0>();
    }

    /// [`sync`](Cta::sync) on barrier `ID`, 0 to 15.
    ///
    /// PTX: `barrier.cta.sync ID;`
    #[inline(always)]
    pub fn sync_on<const ID: u32>(&self) {
        const { assert!(ID <= 15, "a CTA has the barriers 0 to 15 (PTX ISA 9.7.13.1)") };
        // SAFETY: 9.7.13.1: "Each CTA instance has sixteen barriers numbered 0..15", asserted above; without a count
        // "all threads in the CTA participate", and by the contract of `enter` they all call this.
        unsafe { raw::barrier_cta_sync(crate::qualifier::convergence::Unaligned, ID) }
    }

    /// Waits on barrier `ID`, 1 to 15, until `THREADS` threads have arrived. With fewer threads than the CTA has, the
    /// threads meet in groups, in the order of arrival. Barrier 0 is not for groups: all threads meet there in every
    /// collective call.
    ///
    /// PTX: `barrier.cta.sync ID, THREADS;`
    #[inline(always)]
    pub fn sync_count<const ID: u32, const THREADS: u32>(&self) {
        const {
            assert!(
                ID >= 1 && ID <= 15,
                "threads meet in groups on the barriers 1 to 15: on barrier 0 all threads of the CTA meet"
            )
        };
        const {
            assert!(
                THREADS > 0 && THREADS.is_multiple_of(32) && THREADS <= 1024,
                "a barrier's thread count is a multiple of the warp size, 32, and 1024 at most (PTX ISA 9.7.13.1)"
            )
        };
        // SAFETY: 9.7.13.1: the "value must be a multiple of the warp size", asserted above; the other points as
        // in `sync_on`.
        unsafe { raw::barrier_cta_sync_count(crate::qualifier::convergence::Unaligned, ID, THREADS) }
    }
}

/// Stops the kernel with an error that the host sees (`CUDA_ERROR_ILLEGAL_INSTRUCTION`).
#[cold]
#[inline(always)]
pub fn trap() -> ! {
    #[cfg(target_arch = "nvptx64")]
    // SAFETY: `trap` ends the grid.
    unsafe {
        core::arch::asm!("trap;", options(noreturn))
    }
    #[cfg(not(target_arch = "nvptx64"))]
    panic!("`ptx::launch::trap` was called off the device")
}
