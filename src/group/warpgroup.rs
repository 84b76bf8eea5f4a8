//! A warpgroup as a group: four neighboring warps that multiply matrices together.

use core::marker::PhantomData;

use super::{Brand, Completes, HasBarrier, ThreadGroup};
use crate::async_group::Token;
use crate::mark;
use crate::qualifier::{Sealed, convergence::Aligned, threads};
use crate::raw;

/// The threads of a warpgroup.
pub(crate) const WARPGROUP: u32 = 128;

/// One of the `COUNT` warpgroups that consume in a [`Pipeline`](crate::pipeline::Pipeline), for the time of its run
/// ([`run_warpgroups`](crate::pipeline::Pipelines::run_warpgroups)): 128 threads, four neighboring warps, the first of which has a
/// rank that is a multiple of four (PTX ISA 9.7.15.1).
///
/// A warpgroup multiplies matrices ([`wgmma`](crate::wgmma)). It has a named barrier of its own, so it is a [`ThreadGroup`]: it holds
/// handles, and its collective calls wait for its threads alone. Each warpgroup of the run may make other calls than its siblings.
#[derive(Debug)]
#[doc(alias("cutlass::canonical_warp_group_idx", "cute::warpgroup"))]
pub struct Warpgroup<'p, const COUNT: u32> {
    rank: u32,
    index: u32,
    barrier: u32,
    _call: Brand<'p>,
}

impl<const COUNT: u32> Sealed for Warpgroup<'_, COUNT> {}
// SAFETY: all threads of the part hold the handle.
unsafe impl<const COUNT: u32> mark::Group for Warpgroup<'_, COUNT> {
    const NUMBER: u32 = 2;
}

impl<const COUNT: u32> Warpgroup<'_, COUNT> {
    /// # Safety
    ///
    /// - `'p` belongs to this part alone; the executing thread runs it as thread `rank`, below 128, of warpgroup `index`, below
    ///   `COUNT`, whose threads are four neighboring warps from a multiple of four on.
    /// - `barrier` is 1 to 15, and nothing else uses that barrier while the part runs.
    #[inline(always)]
    pub(crate) unsafe fn of_part(rank: u32, index: u32, barrier: u32) -> Self {
        Warpgroup { rank, index, barrier, _call: PhantomData }
    }

    /// Checks that all threads of the warpgroup make the caller's call.
    #[cfg(feature = "checked")]
    #[inline(always)]
    #[track_caller]
    pub(crate) fn meet(&self) {
        crate::checked::meet_in_part(self.rank, WARPGROUP, self.barrier);
    }

    /// Returns the executing thread's rank in the warpgroup: 0 to 127.
    ///
    /// Not collective.
    #[inline(always)]
    pub fn thread_rank(&self) -> u32 {
        self.rank
    }

    /// Returns the warpgroup's index among the `COUNT` warpgroups of the run. It is equal in all threads of the warpgroup.
    ///
    /// Not collective.
    #[inline(always)]
    pub fn index(&self) -> u32 {
        self.index
    }

    /// Waits for all threads of the warpgroup (`barrier.cta.sync`). Writes of these threads before the barrier are visible to all of
    /// them after the barrier.
    ///
    /// Collective in the warpgroup.
    ///
    /// PTX: `barrier.cta.sync.aligned ID, 128;`
    #[inline(always)]
    #[track_caller]
    pub fn sync(&self) {
        HasBarrier::sync(self);
    }
}

impl<const COUNT: u32> HasBarrier for Warpgroup<'_, COUNT> {
    #[inline(always)]
    fn sync(&self) {
        meet!(self);
        // SAFETY: the number is in range, and the warpgroup alone uses the barrier (`of_part`).
        unsafe { raw::barrier_cta_sync(Aligned, self.barrier, threads::Count(WARPGROUP)) }
    }
}
// SAFETY: the barrier is that of all threads of the warpgroup.
unsafe impl<'p, const COUNT: u32> Completes<Warpgroup<'p, COUNT>> for Warpgroup<'p, COUNT> {}
impl<const COUNT: u32> ThreadGroup for Warpgroup<'_, COUNT> {
    type Regained<Tile> = ();
    type Owner = Self;
    #[inline(always)]
    fn regain<Tile>(_: Tile, _: Token) {}
    #[inline(always)]
    fn thread_rank(&self) -> u32 {
        self.rank
    }
    #[inline(always)]
    fn thread_count(&self) -> u32 {
        WARPGROUP
    }
    #[inline(always)]
    fn is_leader(&self) -> bool {
        self.rank == 0
    }
    #[cfg(feature = "checked")]
    #[inline(always)]
    fn meet(&self) {
        Warpgroup::meet(self);
    }
}

handles! { Warpgroup<1> }
