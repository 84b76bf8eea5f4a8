//! Warps of the CTA that have a part of their own.

use core::marker::PhantomData;

use super::Call;
use crate::qualifier::Sealed;

/// Whole warps of the CTA that have a part of a [`Pipeline`](crate::pipeline::Pipeline), for the time of its run. With a barrier of their own,
/// the [`NamedBarrier`](crate::barrier::NamedBarrier) `B`, they are a [`ThreadGroup`](super::ThreadGroup): they hold handles, and make
/// collective calls on them, which wait for these warps alone.
///
/// ```
/// # use ptx::{barrier::NamedBarrier, bulk, global::GlobalTileMut, launch::Warps, shared::{Free, Shared}};
/// # type Consumers<'p> = Warps<'p, NamedBarrier<1, 96>>;
/// /// Three warps fill a tile and store it.
/// fn put<'s, 'p>(
///     warps: &Consumers<'p>,
///     tile: Shared<'s, u32, 96, Free, Consumers<'p>>,
///     to: GlobalTileMut<u32, 96>,
/// ) -> Shared<'s, u32, 96, Free, Consumers<'p>> {
///     let written = tile.write(warps, |i| (i * i) as u32).to_async(warps);
///     bulk::store(warps, written, to).commit(warps).wait_read(warps).0.into_free()
/// }
/// ```
#[derive(Debug)]
pub struct Warps<'p, B = ()> {
    rank: u32,
    threads: u32,
    _call: Call<'p>,
    _barrier: PhantomData<fn(&B)>,
}

static_assertions::assert_not_impl_any!(Warps: Copy, Clone, Send, Sync);

impl<B> Sealed for Warps<'_, B> {}

/// What [`Warps`] have for a barrier: none (`()`), or a [`NamedBarrier`](crate::barrier::NamedBarrier).
///
/// # Safety
///
/// Implemented here only: a barrier is of as many threads.
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait PartBarrier {
    #[doc(hidden)]
    const THREADS: Option<u32>;
}
// SAFETY: there is no barrier.
unsafe impl PartBarrier for () {
    const THREADS: Option<u32> = None;
}

impl<B> Warps<'_, B> {
    /// # Safety
    ///
    /// `'p` is the part's alone, which the executing thread has, as the thread of that rank among so many, of whole warps. `B` is no barrier, or
    /// one of as many threads that nothing else uses while the part runs.
    #[inline(always)]
    pub(crate) unsafe fn of_part(rank: u32, threads: u32) -> Self {
        Warps { rank, threads, _call: PhantomData, _barrier: PhantomData }
    }

    /// The thread's rank among those of the part.
    ///
    /// Not collective.
    ///
    /// ```
    /// # use ptx::launch::Warps;
    /// # fn consume(warps: &Warps) {
    /// let first = warps.thread_rank() == 0; // of the consumers whose producer is one thread, thread 32 of the CTA
    /// # }
    /// ```
    #[inline(always)]
    pub fn thread_rank(&self) -> u32 {
        self.rank
    }

    /// How many threads have the part.
    ///
    /// Not collective.
    ///
    /// ```
    /// # use ptx::launch::Warps;
    /// # fn consume(warps: &Warps) {
    /// let elements_each = 512 / warps.thread_count();
    /// # }
    /// ```
    #[inline(always)]
    pub fn thread_count(&self) -> u32 {
        self.threads
    }
}
