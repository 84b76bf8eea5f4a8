//! Whole warps of the CTA as a group: the warps that run one part of a pipeline.

use core::marker::PhantomData;

use super::Brand;
use crate::mark;
use crate::qualifier::Sealed;

/// Whole warps of the CTA that run one part of a [`Pipeline`](crate::pipeline::Pipeline), for the time of its run (warp
/// specialization).
///
/// With a barrier of their own, the [`ConsumersBarrier`](crate::pipeline::ConsumersBarrier) `B`, the warps are a
/// [`ThreadGroup`](super::ThreadGroup): they hold handles, and their collective calls wait for these warps alone.
///
/// ```
/// # use ptx::{bulk, global::GlobalTileMut, group::Warps, pipeline::ConsumersBarrier, shared::{Free, Shared}};
/// # type Consumers<'p> = Warps<'p, ConsumersBarrier<1>>;
/// /// The consumers fill a tile and store it.
/// fn put<'s, 'p>(
///     warps: &Consumers<'p>,
///     tile: Shared<'s, u32, 96, Free, Consumers<'p>>,
///     to: GlobalTileMut<u32, 96>,
/// ) -> Shared<'s, u32, 96, Free, Consumers<'p>> {
///     let written = tile.write(warps, |i| (i * i) as u32).to_async().sync(warps);
///     bulk::store(warps, written, to).commit(warps).wait_read(warps).sync(warps)
/// }
/// ```
#[derive(Debug)]
pub struct Warps<'p, B = ()> {
    rank: u32,
    threads: u32,
    _call: Brand<'p>,
    _barrier: PhantomData<fn(&B)>,
}

impl<B> Sealed for Warps<'_, B> {}
// SAFETY: all threads of the part hold the handle.
unsafe impl<B> mark::Group for Warps<'_, B> {
    const NUMBER: u32 = 2;
}

impl<B> Warps<'_, B> {
    /// # Safety
    ///
    /// - `'p` belongs to this part alone; the executing thread runs it as thread `rank` of `threads`.
    /// - The `threads` threads form whole warps.
    /// - `B` is `()`, or a barrier that nothing else uses while the part runs.
    #[inline(always)]
    pub(crate) unsafe fn of_part(rank: u32, threads: u32) -> Self {
        Warps { rank, threads, _call: PhantomData, _barrier: PhantomData }
    }

    /// Returns the executing thread's rank among the threads of these warps, which run one part of a pipeline. Rank 0 need not be
    /// the CTA's thread 0: if the producer is one thread, the consumers' rank 0 is the CTA's thread 32.
    ///
    /// Not collective.
    #[inline(always)]
    pub fn thread_rank(&self) -> u32 {
        self.rank
    }

    /// Returns the number of threads of these warps, which run one part of a pipeline.
    ///
    /// Not collective.
    #[inline(always)]
    pub fn thread_count(&self) -> u32 {
        self.threads
    }
}

handles! { Warps }
