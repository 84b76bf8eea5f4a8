//! Pipelines over two named barriers (9.7.13.1): warps fill the one stage with values that they compute.

use super::layout::{Cursor, StageMbarriers};
use super::parts::{CtaSignals, Producer, StageSignals};
use super::stage::StageTiles;
use crate::barrier::bit;
use crate::group::Warps;
use crate::qualifier::{convergence::Aligned, threads};
use crate::raw;
use crate::shared::Element;
use crate::trap::trap_because;

/// The signals of a one-stage [`Pipeline`](super::Pipeline) whose producers are warps: two named barriers (`barrier.cta`),
/// numbers `FULL` and `EMPTY`, in place of mbarriers. The first `PRODUCERS` threads of the CTA write the stage, and the next
/// `CONSUMERS` threads read it. Both counts are multiples of 32.
///
/// The producers arrive at `FULL` after they have written the stage, and the consumers wait there. The consumers arrive at
/// `EMPTY` at the start of the run and after they have read the stage, and the producers wait there.
///
/// ```
/// use ptx::{group::Cta, pipeline::{BarrierPair, PipelineMemory}};
/// // Over the barriers 1 and 2: one warp produces, three consume.
/// ptx::shared_memory! { struct Smem { tile: PipelineMemory<[f32; 512], 1, BarrierPair<1, 2, 32, 96>> } }
/// # fn kernel(cta: Cta, smem: Smem, rounds: u32) {
/// cta.finish(smem.tile, |cta, pipeline| {
///     let run = pipeline.run(
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
///     );
///     run.end()
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
        assert!(FULL != EMPTY, "a `BarrierPair` has two barriers: give `FULL` and `EMPTY` different numbers");
        // Each part must be of whole warps, not only their sum.
        _ = (bit(FULL, PRODUCERS), bit(EMPTY, CONSUMERS));
        bit(FULL, Self::THREADS) | bit(EMPTY, Self::THREADS)
    };
}

// SAFETY: named barriers signal the stage, so a stage has no mbarrier.
unsafe impl<const FULL: u32, const EMPTY: u32, const PRODUCERS: u32, const CONSUMERS: u32> StageMbarriers
    for BarrierPair<FULL, EMPTY, PRODUCERS, CONSUMERS>
{
    const MBARRIERS: u32 = 0;
}

// SAFETY: the named barriers of a CTA count only threads of that CTA (9.7.13.1).
unsafe impl<const FULL: u32, const EMPTY: u32, const PRODUCERS: u32, const CONSUMERS: u32> CtaSignals
    for BarrierPair<FULL, EMPTY, PRODUCERS, CONSUMERS>
{
    const BARRIERS: u16 = Self::BITS;
    const NEW: Self = BarrierPair(());
}

// SAFETY: `BITS` asserts that the parts are whole warps, and each barrier counts every thread of both parts once. No thread
// arrives twice before a barrier completes: between two arrivals at `EMPTY` a consumer passes `FULL`, so every producer has
// passed `EMPTY`; between two arrivals at `FULL` a producer passes `EMPTY`, so every consumer has passed `FULL`. A barrier of the
// CTA, or the end of the kernel, lies between two runs. `.sync` and `.arrive` order the earlier accesses (9.7.13.1).
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
            trap_because!("the block has fewer threads than the `BarrierPair` counts")
        }
    }

    #[inline(always)]
    fn produces(rank: u32) -> bool {
        rank < PRODUCERS
    }

    #[inline(always)]
    unsafe fn producers<'p>(rank: u32) -> Warps<'p> {
        // SAFETY: the caller passes the rank of the executing thread (`# Safety`); `BITS` asserts whole warps.
        unsafe { Warps::of_part(rank, PRODUCERS) }
    }

    #[inline(always)]
    unsafe fn begin_consuming(&self) {
        // SAFETY: `BITS` asserts the numbers. The stage is empty, and this is the thread's first arrival in the run.
        unsafe { raw::barrier_cta_arrive(Aligned, EMPTY, Self::THREADS) };
    }

    #[inline(always)]
    unsafe fn await_full(&self, _full: u32, _parity: u32) {
        // SAFETY: `BITS` asserts the numbers. Consumers execute only `.sync` on this barrier.
        unsafe { raw::barrier_cta_sync(Aligned, FULL, threads::Count(Self::THREADS)) };
    }

    #[inline(always)]
    unsafe fn release<const LOADED: bool>(&self, _rank: u32, _empty: u32) {
        // SAFETY: `BITS` asserts the numbers. The thread has passed `await_full` since its last arrival.
        unsafe { raw::barrier_cta_arrive(Aligned, EMPTY, Self::THREADS) };
    }

    #[inline(always)]
    unsafe fn drain<S: StageTiles, const STAGES: usize>(&self, _base: u32, _at: Cursor) {
        // Completes the phase of the last releases, so that no arrival remains for a later run.
        // SAFETY: `BITS` asserts the numbers. Producers execute only `.sync` on this barrier.
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
    /// Waits until all consumers have released the stage, stores `f(i)` into each element `i` of the stage's tile, and arrives at
    /// the barrier `FULL` without waiting for the consumers (`barrier.cta.arrive`).
    ///
    /// The producer of rank `r` computes the elements `r`, `r + PRODUCERS`, …, so loads of `f` from global memory are coalesced.
    /// If the tile has `4 * PRODUCERS` elements or more, each producer calls `f` for its first four elements before it waits,
    /// while the consumers still read. Producers can call `f` a different number of times, so `f` makes no collective call.
    ///
    /// Collective in the warp.
    ///
    /// PTX: `barrier.cta.sync.aligned EMPTY, THREADS;` for each element `st.weak.shared::cta`;
    /// `barrier.cta.arrive.aligned FULL, THREADS;`
    #[inline(always)]
    #[track_caller]
    pub fn write(self, warps: &Warps<'p>, mut f: impl FnMut(usize) -> T) -> Self {
        meet!(warps.warp());
        let (rank, step) = (warps.thread_rank() as usize, PRODUCERS as usize);
        // SAFETY: in bounds. One producer writes each element, after its wait at `EMPTY`, and no consumer reads before it has
        // passed `FULL`.
        let store = |i: usize, value| unsafe { T::store(self.base + (i * size_of::<T>()) as u32, value) };
        let store_all = |at: [usize; 4], values: [T; 4]| {
            at.into_iter().zip(values).for_each(|(i, value)| store(i, value))
        };
        // Four values at a time, so that loads of `f` overlap.
        let at = |first: usize| [0, 1, 2, 3].map(|round| first + round * step + rank);
        let early = (4 * step <= N).then(|| at(0).map(&mut f));
        // SAFETY: `BITS` asserts the numbers. Producers execute only `.sync` on this barrier.
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
        // SAFETY: `BITS` asserts the numbers. The thread has passed `EMPTY` since its last arrival.
        unsafe { raw::barrier_cta_arrive(Aligned, FULL, PRODUCERS + CONSUMERS) };
        self
    }
}
