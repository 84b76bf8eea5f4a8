//! A pipeline whose parts tell each other of its stage by two named barriers (9.7.13.1), so that warps can fill it with what they compute.

use super::layout::{Cursor, StageMbarriers};
use super::parts::{CtaSignals, Producer, StageSignals};
use super::stage::StageTiles;
use crate::barrier::bit;
use crate::group::Warps;
use crate::qualifier::{convergence::Aligned, threads};
use crate::raw;
use crate::shared::Element;
use crate::trap::trap;

/// The signals of a [`Pipeline`](super::Pipeline) of one stage which the first `PRODUCERS` threads of the CTA write and the next `CONSUMERS`
/// read: `FULL` and `EMPTY` are the numbers of two barriers.
///
/// The consumers arrive at `EMPTY` when they have read the stage, and at first, and the producers wait there; the producers arrive at `FULL` when
/// they have written, and the consumers wait there.
///
/// ```
/// use ptx::{launch::Cta, pipeline::{BarrierPair, PipelineMemory}};
/// // Over the barriers 1 and 2: one warp produces, three consume.
/// ptx::shared_memory! { struct Smem { tile: PipelineMemory<[f32; 512], 1, BarrierPair<1, 2, 32, 96>> } }
/// # fn kernel(cta: Cta, smem: Smem, rounds: u32) {
/// cta.async_scope_last(smem.tile, |cta, pipeline| {
///     pipeline.run_last(
///         cta,
///         |warps, mut producer| {
///             for round in 0..rounds {
///                 producer = producer.write(warps, |i| round as f32 + i as f32);
///             }
///             producer
///         },
///         |warps, mut consumer| {
///             for _ in 0..rounds {
///                 let tile = consumer.wait(warps);
///                 let _mine = tile.get(warps.thread_rank() as usize);
///                 consumer = tile.release(warps);
///             }
///             consumer
///         },
///     )
/// });
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct BarrierPair<const FULL: u32, const EMPTY: u32, const PRODUCERS: u32, const CONSUMERS: u32>(());

impl<const FULL: u32, const EMPTY: u32, const PRODUCERS: u32, const CONSUMERS: u32>
    BarrierPair<FULL, EMPTY, PRODUCERS, CONSUMERS>
{
    const THREADS: u32 = PRODUCERS + CONSUMERS;
    const BITS: u16 = {
        assert!(FULL != EMPTY, "a hand-off has two barriers: give `FULL` and `EMPTY` numbers of their own");
        // Each part is of whole warps, as both together are.
        _ = (bit(FULL, PRODUCERS), bit(EMPTY, CONSUMERS));
        bit(FULL, Self::THREADS) | bit(EMPTY, Self::THREADS)
    };
}

// SAFETY: named barriers tell of the stage.
unsafe impl<const FULL: u32, const EMPTY: u32, const PRODUCERS: u32, const CONSUMERS: u32> StageMbarriers
    for BarrierPair<FULL, EMPTY, PRODUCERS, CONSUMERS>
{
    const MBARRIERS: u32 = 0;
}

// SAFETY: a CTA's barriers count threads of that CTA alone (9.7.13.1).
unsafe impl<const FULL: u32, const EMPTY: u32, const PRODUCERS: u32, const CONSUMERS: u32> CtaSignals
    for BarrierPair<FULL, EMPTY, PRODUCERS, CONSUMERS>
{
    const BARRIERS: u16 = Self::BITS;
    const NEW: Self = BarrierPair(());
}

// SAFETY: the parts are of whole warps, by the assertions. On each barrier one part arrives and the other waits, so it completes when all of
// both have come. A thread arrives again behind a wait for what the other part did behind the completion before: the consumers at `EMPTY`
// behind `FULL`, where the producers arrive behind `EMPTY`, and the producers at `FULL` behind `EMPTY`. So none arrives twice before a barrier
// completes, and a barrier of the CTA, or the kernel's end, comes between two runs. 9.7.13.1: "when the
// barrier completes, prior memory accesses requested by this thread are performed relative to all threads participating in the barrier", of
// `.sync` as of `.arrive`.
unsafe impl<const FULL: u32, const EMPTY: u32, const PRODUCERS: u32, const CONSUMERS: u32> StageSignals
    for BarrierPair<FULL, EMPTY, PRODUCERS, CONSUMERS>
{
    type Producers<'p> = Warps<'p>;
    type Own = Self;
    const RELEASES: u32 = 0;
    const CONSUMERS: Option<u32> = Some(CONSUMERS);
    const FIRST_CONSUMER: u32 = PRODUCERS;

    #[inline(always)]
    fn check(threads: u32) {
        if threads < Self::THREADS {
            trap();
        }
    }

    #[inline(always)]
    fn produces(rank: u32) -> bool {
        rank < PRODUCERS
    }

    #[inline(always)]
    unsafe fn producers<'p>(rank: u32) -> Warps<'p> {
        // SAFETY: the caller's; whole warps, by `BITS`.
        unsafe { Warps::of_part(rank, PRODUCERS) }
    }

    #[inline(always)]
    unsafe fn begin_consuming(&self) {
        // SAFETY: the numbers are asserted by `BITS`; the stage is empty, and no arrival of this thread is in the barrier.
        unsafe { raw::barrier_cta_arrive(Aligned, EMPTY, Self::THREADS) };
    }

    #[inline(always)]
    unsafe fn await_full(&self, _full: u32, _parity: u32) {
        // SAFETY: the numbers are asserted by `BITS`; consumers only wait on this barrier.
        unsafe { raw::barrier_cta_sync(Aligned, FULL, threads::Count(Self::THREADS)) };
    }

    #[inline(always)]
    unsafe fn release(&self, _rank: u32, _empty: u32) {
        // SAFETY: the numbers are asserted by `BITS`; the thread has passed `await_full` since its last arrival.
        unsafe { raw::barrier_cta_arrive(Aligned, EMPTY, Self::THREADS) };
    }

    #[inline(always)]
    unsafe fn drain<S: StageTiles, const STAGES: usize>(&self, _base: u32, _at: Cursor) {
        // The arrivals of the last releases are no other run's.
        // SAFETY: the numbers are asserted by `BITS`; producers only wait on this barrier.
        unsafe { raw::barrier_cta_sync(Aligned, EMPTY, threads::Count(Self::THREADS)) };
    }
}

impl<
    'p,
    T: Element,
    const N: usize,
    const FULL: u32,
    const EMPTY: u32,
    const PRODUCERS: u32,
    const CONSUMERS: u32,
> Producer<'p, [T; N], 1, BarrierPair<FULL, EMPTY, PRODUCERS, CONSUMERS>>
{
    /// Waits until all consumers have released the tile, fills element `i` with `f(i)`, each producer its share, and hands the tile over without
    /// waiting. The producer of rank `r` of `PRODUCERS` has the elements `r`, `r + PRODUCERS`, …, so what `f` loads from global memory is coalesced;
    /// it makes the first four of these values before it waits, while the consumers still read. Threads call `f` a different number of
    /// times, so `f` makes no collective call.
    ///
    /// Collective in the warp.
    ///
    /// PTX: `barrier.cta.sync.aligned EMPTY, THREADS;` an element: `st.weak.shared::cta`; `barrier.cta.arrive.aligned FULL, THREADS;`
    ///
    /// ```
    /// # use ptx::{launch::Warps, pipeline::{BarrierPair, Producer}};
    /// # type Pair = BarrierPair<1, 2, 64, 64>;
    /// fn powers<'p>(warps: &Warps<'p>, producer: Producer<'p, [u32; 256], 1, Pair>) -> Producer<'p, [u32; 256], 1, Pair> {
    ///     // Two tiles; the second waits until the first has been read.
    ///     producer.write(warps, |i| (i * i) as u32).write(warps, |i| (i * i * i) as u32)
    /// }
    /// ```
    #[inline(always)]
    pub fn write(self, warps: &Warps<'p>, mut f: impl FnMut(usize) -> T) -> Self {
        let (rank, step) = (warps.thread_rank() as usize, PRODUCERS as usize);
        // SAFETY: in bounds; each element has one producer, and no consumer reads before it has passed `FULL`.
        let store = |i: usize, value| unsafe { T::store(self.base + (i * size_of::<T>()) as u32, value) };
        let store_all = |at: [usize; 4], values: [T; 4]| {
            at.into_iter().zip(values).for_each(|(i, value)| store(i, value))
        };
        // Four values at a time, so that what `f` loads is under way together.
        let at = |first: usize| [0, 1, 2, 3].map(|round| first + round * step + rank);
        let early = (4 * step <= N).then(|| at(0).map(&mut f));
        // SAFETY: the numbers are asserted by `BITS`; producers only wait on this barrier.
        unsafe { raw::barrier_cta_sync(Aligned, EMPTY, threads::Count(PRODUCERS + CONSUMERS)) };
        let mut first = 0;
        if let Some(values) = early {
            store_all(at(0), values);
            first = 4 * step;
        }
        while first + 4 * step <= N {
            store_all(at(first), at(first).map(&mut f));
            first += 4 * step;
        }
        while first + rank < N {
            store(first + rank, f(first + rank));
            first += step;
        }
        // SAFETY: the numbers are asserted by `BITS`; the thread has passed `EMPTY` since its last arrival.
        unsafe { raw::barrier_cta_arrive(Aligned, FULL, PRODUCERS + CONSUMERS) };
        self
    }
}
