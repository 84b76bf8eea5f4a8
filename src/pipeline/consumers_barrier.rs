//! The named barrier of a pipeline's consumers (9.7.13.1), which makes their warps a group that holds handles.

use core::marker::PhantomData;

use crate::async_group::Token;
use crate::barrier::bit;
use crate::group::{Completes, Cta, HasBarrier, ThreadGroup, Warps};
use crate::qualifier::{convergence::Aligned, threads};
use crate::raw;
use crate::shared::Place;

use super::parts::WARP;

/// Handle of named barrier `ID` of the CTA (`barrier.cta`) for the consumers of a pipeline, which
/// [`Pipeline::run_tiles_with`](super::Pipeline::run_tiles_with) and [`Pipeline::run_with`](super::Pipeline::run_with) lend to
/// them. `ID` is 1 to 15. The run knows how many threads consume, and the barrier counts them. [`Warps::sync`] waits at it.
///
/// ```
/// use ptx::{pipeline::{ConsumersBarrier, PipelineMemory}, shared::SharedArray};
/// ptx::shared_memory! {
///     struct Smem { memory: PipelineMemory<[f32; 1024], 4>, out: SharedArray<f32, 1024>, consumers: ConsumersBarrier<1> }
/// }
/// ```
#[derive(Debug)]
#[doc(alias = "cutlass::arch::NamedBarrier")]
pub struct ConsumersBarrier<const ID: u32> {
    /// Bound to its CTA.
    _thread: PhantomData<*mut ()>,
}

static_assertions::const_assert_eq!(size_of::<ConsumersBarrier<1>>(), 0);

// SAFETY: the handle takes no bytes and uses barrier `ID` alone.
unsafe impl<const ID: u32> Place for ConsumersBarrier<ID> {
    const SIZE: u32 = 0;
    const ALIGN: u32 = 1;
    // Asserts the number. Of the count, a run sees to it.
    const BARRIERS: u16 = bit(ID, WARP);

    #[inline(always)]
    unsafe fn at(_addr: u32) -> Self {
        ConsumersBarrier { _thread: PhantomData }
    }
}

impl<const ID: u32> HasBarrier for Warps<'_, ConsumersBarrier<ID>> {
    #[inline(always)]
    fn sync(&self) {
        meet!(self);
        // SAFETY: `Place` asserts the number, and the part has as many threads, in whole warps (`Warps::of_part`). Only the part
        // uses the barrier during the run: `run_with` begins with a barrier of the CTA and takes the named barrier, which comes
        // back after another barrier of the CTA or never.
        unsafe { raw::barrier_cta_sync(Aligned, ID, threads::Count(self.thread_count())) }
    }
}
// SAFETY: the barrier is that of all threads of the part.
unsafe impl<'p, const ID: u32> Completes<Warps<'p, ConsumersBarrier<ID>>>
    for Warps<'p, ConsumersBarrier<ID>>
{
}
/// The consumers of a pipeline to which a run lends the barrier.
impl<const ID: u32> ThreadGroup for Warps<'_, ConsumersBarrier<ID>> {
    type Regained<Tile> = ();
    type Owner = Cta;
    #[inline(always)]
    fn regain<Tile>(_: Tile, _: Token) {}
    #[inline(always)]
    fn thread_rank(&self) -> u32 {
        Warps::thread_rank(self)
    }
    #[inline(always)]
    fn thread_count(&self) -> u32 {
        Warps::thread_count(self)
    }
    #[inline(always)]
    fn is_leader(&self) -> bool {
        Warps::thread_rank(self) == 0
    }
    #[cfg(feature = "checked")]
    #[inline(always)]
    fn meet(&self) {
        crate::checked::meet_in_part(Warps::thread_rank(self), Warps::thread_count(self), ID);
    }
}

impl<const ID: u32> Warps<'_, ConsumersBarrier<ID>> {
    /// Waits for all threads of this part of a pipeline, a group of warps that share a named barrier (`barrier.cta.sync`). Writes
    /// of these threads before the barrier are visible to all of them after the barrier.
    ///
    /// Collective in the group.
    ///
    /// PTX: `barrier.cta.sync.aligned ID, THREADS;`
    #[inline(always)]
    #[track_caller]
    pub fn sync(&self) {
        HasBarrier::sync(self);
    }
}

handles! { ConsumersBarrier<1> }
