//! A pipeline whose threads have different parts: one thread loads, the warps after the first consume. In a cluster,
//! each CTA of a group loads its part of a tile for all of them.

use core::marker::PhantomData;

use super::Invariant;
use super::stage::{Sharing, SharingIn, StageSource, StageTiles};
use crate::cluster::Cluster;
use crate::group::Cta;
use crate::mbarrier::await_parity;
use crate::qualifier::{arrivals, cache_hint, scope, sem, space, suspend_time_hint};
use crate::raw::{self, MbarrierSuspendTimeHint};
use crate::shared::{ALIGN, Element, Ended, Lend, Place};
use crate::size;
use crate::trap::trap;

const WARP: u32 = 32;

/// Memory for a [`Pipeline`] of `STAGES` stages, with two mbarriers a stage. Each holds `S`: a tile `[T; N]` of `N` elements, or
/// a pair of tiles, or of pairs.
///
/// ```
/// # use ptx::{launch::Cta, pipeline::PipelineMemory};
/// // Four stages of 512 words; three of two tiles.
/// ptx::shared_memory! {
///     struct Smem { words: PipelineMemory<[u32; 512], 4>, products: PipelineMemory<([f32; 512], [f32; 256]), 3> }
/// }
/// # fn kernel(cta: &mut Cta, smem: Smem) {
/// let memory = cta.lend(smem.words, |cta, pipeline| pipeline);
/// # }
/// ```
#[derive(Debug)]
pub struct PipelineMemory<S, const STAGES: usize> {
    addr: u32,
    _tiles: PhantomData<*mut S>,
}

static_assertions::assert_not_impl_any!(PipelineMemory<[u32; 4], 2>: Copy, Clone, Send, Sync);

/// Where things are in a pipeline.
struct Layout<S, const STAGES: usize>(PhantomData<S>);

impl<S: StageTiles, const STAGES: usize> Layout<S, STAGES> {
    const STAGE: u32 = size::shared(S::SIZE);
    const BARRIERS: u32 = size::shared(size::product([STAGES, S::SIZE]));
    const BYTES: u32 = size::shared(size::product([STAGES, size::sum(S::SIZE, 16)]));

    const fn check<G: Sharing>() {
        assert!(STAGES > 0, "a pipeline has at least one stage");
        assert!(S::BYTES > 0, "a tile has at least one element");
        assert!(
            S::BYTES < 1 << 20,
            "a stage's mbarrier counts 2^20 - 1 bytes at most: choose smaller tiles (PTX ISA 9.7.13.15.2)"
        );
        assert!(
            G::CTAS <= 32,
            "a warp tells as many CTAs as it has lanes: choose fewer tiles, or smaller groups"
        );
    }

    /// The same of tiles that a group has in common.
    const fn check_shared<G: Sharing>() {
        Self::check::<G>();
        assert!(G::CTAS > 0, "no tile is shared with another CTA: `run` has no groups");
    }

    /// The mbarrier that completes when the stage's tiles have arrived.
    #[inline(always)]
    fn full(base: u32, stage: u32) -> u32 {
        base + Self::BARRIERS + 16 * stage
    }

    /// The mbarrier that completes when every consumer has released the stage.
    #[inline(always)]
    fn empty(base: u32, stage: u32) -> u32 {
        Self::full(base, stage) + 8
    }
}

// SAFETY: `Layout::BYTES` bytes from `addr` on: the stages, then two mbarriers for each.
unsafe impl<S: StageTiles, const STAGES: usize> Place for PipelineMemory<S, STAGES> {
    const SIZE: u32 = Layout::<S, STAGES>::BYTES;
    const ALIGN: u32 = ALIGN;

    #[inline(always)]
    unsafe fn at(addr: u32) -> Self {
        PipelineMemory { addr, _tiles: PhantomData }
    }
}

// SAFETY: a `Pipeline` has no copy in flight and no valid mbarrier, and one scope makes one of them.
unsafe impl<S: StageTiles, const STAGES: usize> Lend for PipelineMemory<S, STAGES> {
    type Lent<'s> = Pipeline<'s, S, STAGES>;
    type Ended<'s> = Ended<'s, Self>;
    const USED_BY_PEERS: bool = false;
    #[inline(always)]
    unsafe fn open<'s>(self) -> Self::Lent<'s> {
        Pipeline { addr: self.addr, _scope: PhantomData, _tiles: PhantomData }
    }
    #[inline(always)]
    unsafe fn give_back(lent: Self::Lent<'_>) -> Self {
        PipelineMemory { addr: lent.addr, _tiles: PhantomData }
    }
}

/// A pipeline with nothing in flight.
///
/// ```
/// # use ptx::{global::GlobalTile, launch::Cta, pipeline::{Pipeline, PipelineMemory}};
/// # fn kernel(cta: &mut Cta, memory: PipelineMemory<[f32; 512], 4>, tile: GlobalTile<f32, 512>) {
/// cta.lend(memory, |cta, pipeline| {
///     // One tile through it. The thread that loads and those that consume run at the same time.
///     pipeline.run(cta, |producer| producer.load(tile), |consumer| consumer.wait().release())
/// });
/// # }
/// ```
#[must_use = "the scope has to return this handle: keep it"]
#[derive(Debug)]
pub struct Pipeline<'s, S, const STAGES: usize> {
    addr: u32,
    _scope: Invariant<'s>,
    _tiles: PhantomData<*mut S>,
}

static_assertions::assert_not_impl_any!(Pipeline<'static, [u32; 4], 2>: Copy, Clone, Send, Sync);

/// Where a thread is in the ring of stages, and the CTAs that have tiles in common.
#[derive(Debug)]
struct Position<G> {
    base: u32,
    stage: u32,
    parity: u32,
    group: G,
}

impl<G: Sharing> Position<G> {
    #[inline(always)]
    fn start(base: u32, group: G) -> Self {
        Position { base, stage: 0, parity: 0, group }
    }

    /// Waits for the phase of that parity of an mbarrier, which copies or threads of all these CTAs complete.
    ///
    /// # Safety
    ///
    /// The mbarrier is valid, and in this phase or in the next.
    #[inline(always)]
    unsafe fn wait(&self, bar: u32, parity: u32, hint: impl MbarrierSuspendTimeHint + Copy) {
        // SAFETY: the caller's.
        unsafe {
            if G::CTAS == 0 {
                await_parity(scope::Cta, bar, parity, hint);
            } else {
                await_parity(scope::Cluster, bar, parity, hint);
            }
        }
    }

    #[inline(always)]
    fn advance<const STAGES: usize>(&mut self) {
        self.stage += 1;
        if self.stage == STAGES as u32 {
            self.stage = 0;
            self.parity ^= 1;
        }
    }
}

/// The part of the thread that loads: it starts copies into free stages.
///
/// ```
/// # use ptx::{global::Tiles, pipeline::Producer};
/// fn produce<'p>(mut producer: Producer<'p, [f32; 512], 4>, x: Tiles<f32, 512>) -> Producer<'p, [f32; 512], 4> {
///     let mut i = 0;
///     while let Some(tile) = x.get(i) {
///         (producer, i) = (producer.load(tile), i + 1);
///     }
///     producer
/// }
/// ```
#[must_use = "the closure has to return this handle: keep it"]
#[derive(Debug)]
pub struct Producer<'p, S, const STAGES: usize, G = ()> {
    at: Position<G>,
    _run: Invariant<'p>,
    _tiles: PhantomData<*mut S>,
}

static_assertions::assert_not_impl_any!(Producer<'static, [u32; 4], 2>: Copy, Clone, Send, Sync);

/// The part of the threads that compute: they read stages that have arrived.
///
/// ```
/// # use ptx::pipeline::Consumer;
/// fn consume<'p>(mut consumer: Consumer<'p, [f32; 512], 4>, tiles: usize) -> Consumer<'p, [f32; 512], 4> {
///     for _ in 0..tiles {
///         let tile = consumer.wait();
///         // Here `tile.get(…)` reads it.
///         consumer = tile.release();
///     }
///     consumer
/// }
/// ```
#[must_use = "the closure has to return this handle: keep it"]
#[derive(Debug)]
pub struct Consumer<'p, S, const STAGES: usize, G = ()> {
    at: Position<G>,
    rank: u32,
    count: u32,
    _run: Invariant<'p>,
    _tiles: PhantomData<*mut S>,
}

static_assertions::assert_not_impl_any!(Consumer<'static, [u32; 4], 2>: Copy, Clone, Send, Sync);

/// A stage that has arrived, as a consumer holds it.
///
/// ```
/// # use ptx::pipeline::Arrived;
/// // A consumer's share of the tile.
/// fn sum(tile: &Arrived<'_, [u32; 512], 4>) -> u32 {
///     let own = (tile.rank()..512).step_by(tile.count() as usize);
///     own.filter_map(|i| tile.get(i as usize)).fold(0, u32::wrapping_add)
/// }
/// ```
#[must_use = "the producer waits for the stage: call `.release()`"]
#[derive(Debug)]
pub struct Arrived<'p, S, const STAGES: usize, G = ()>(Consumer<'p, S, STAGES, G>);

static_assertions::assert_not_impl_any!(Arrived<'static, [u32; 4], 2>: Copy, Clone, Send, Sync);

impl<'s, S: StageTiles, const STAGES: usize> Pipeline<'s, S, STAGES> {
    /// Runs `produce` in the first thread of the CTA and `consume` in every thread of the warps after the first; the other
    /// threads of the first warp wait. Both go round the stages: the producer loads as many tiles as each consumer waits
    /// for. A consumer that waits for more waits for ever. Inside of both there are no collective calls of the CTA, which all
    /// its threads would have to make. The mbarriers are initialised before and invalidated after, each behind a barrier: many
    /// tiles are work for one `run`. Traps where the CTA is not of whole warps, two or more.
    ///
    /// Collective in the CTA.
    ///
    /// PTX by the elected thread, a stage: two `mbarrier.init.shared::cta.b64`; `fence.mbarrier_init.release.cluster;`
    /// `fence.proxy.async.shared::cta;`; by every thread `barrier.cta.sync.aligned 0;`; after both, by the producer, a stage:
    /// `mbarrier.try_wait.parity.acquire.cta.shared::cta.b64`; by every thread `barrier.cta.sync.aligned 0;`; by the
    /// elected thread, a stage: two `mbarrier.inval.shared::cta.b64`; by every thread `barrier.cta.sync.aligned 0;`
    ///
    /// ```
    /// # use ptx::{global::Tiles, launch::Cta, pipeline::PipelineMemory};
    /// # fn kernel(cta: &mut Cta, memory: PipelineMemory<[f32; 1024], 4>, tiles: Tiles<f32, 1024>) {
    /// let mut sum = 0.0;
    /// cta.lend(memory, |cta, pipeline| {
    ///     pipeline.run(
    ///         cta,
    ///         |mut producer| {
    ///             let mut i = 0;
    ///             while let Some(tile) = tiles.get(i) {
    ///                 producer = producer.load(tile);
    ///                 i += 1;
    ///             }
    ///             producer
    ///         },
    ///         |mut consumer| {
    ///             for _ in 0..tiles.count() {
    ///                 let tile = consumer.wait();
    ///                 sum += tile.get(tile.rank() as usize).unwrap_or(0.0);
    ///                 consumer = tile.release();
    ///             }
    ///             consumer
    ///         },
    ///     )
    /// });
    /// # }
    /// ```
    #[inline(always)]
    pub fn run(
        self,
        cta: &mut Cta,
        produce: impl for<'p> FnOnce(Producer<'p, S, STAGES>) -> Producer<'p, S, STAGES>,
        consume: impl for<'p> FnOnce(Consumer<'p, S, STAGES>) -> Consumer<'p, S, STAGES>,
    ) -> Self {
        const { Layout::<S, STAGES>::check::<()>() };
        self.run_in(cta, (), || cta.sync(), produce, consume);
        self.reset(cta, || cta.sync());
        self
    }

    /// [`run`](Pipeline::run) in the last scope of the kernel ([`Cta::lend_last`]): a consumer that is done does not wait for the
    /// others, and the mbarriers stay as they are.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: as [`run`](Pipeline::run), without the two last barriers and what lies between them
    ///
    /// ```
    /// # use ptx::{global::Tiles, launch::Cta, pipeline::PipelineMemory};
    /// # fn kernel(cta: Cta, memory: PipelineMemory<[f32; 1024], 4>, tiles: Tiles<f32, 1024>) {
    /// let (mut next, step) = (cta.rank() as usize, cta.count() as usize);
    /// let mine = tiles.count().saturating_sub(next).div_ceil(step);
    /// let mut sum = 0.0;
    /// cta.lend_last(memory, |cta, pipeline| {
    ///     pipeline.run_last(
    ///         cta,
    ///         |mut producer| {
    ///             while let Some(tile) = tiles.get(next) {
    ///                 producer = producer.load(tile);
    ///                 next += step;
    ///             }
    ///             producer
    ///         },
    ///         |mut consumer| {
    ///             for _ in 0..mine {
    ///                 let tile = consumer.wait();
    ///                 sum += tile.get(tile.rank() as usize).unwrap_or(0.0);
    ///                 consumer = tile.release();
    ///             }
    ///             consumer
    ///         },
    ///     )
    /// });
    /// # }
    /// ```
    #[inline(always)]
    pub fn run_last(
        self,
        cta: &mut Cta,
        produce: impl for<'p> FnOnce(Producer<'p, S, STAGES>) -> Producer<'p, S, STAGES>,
        consume: impl for<'p> FnOnce(Consumer<'p, S, STAGES>) -> Consumer<'p, S, STAGES>,
    ) -> Ended<'s, PipelineMemory<S, STAGES>> {
        const { Layout::<S, STAGES>::check::<()>() };
        // The producer's thread stays until its copies have come.
        self.run_in(cta, (), || cta.sync(), produce, consume);
        Ended::new()
    }

    /// [`run`](Pipeline::run) of tiles that CTAs of the cluster have in common, so that global memory is read once for all of
    /// them. Each tile is cut into `CTAS` equal parts. The CTA of rank r in the group loads part r and multicasts it to all of the
    /// group; a stage has arrived when all parts have. For a stage of two tiles `group` can be a pair: `(row, column)`, or
    /// `(row, ())` where the CTA has the second tile for itself. A stage is loaded again when the consumers of all those
    /// CTAs have released it.
    ///
    /// A cluster call. Where one CTA loads, or its consumers wait for, more tiles than another of the group, they wait for
    /// ever.
    ///
    /// Collective in the cluster.
    ///
    /// PTX: as [`run`](Pipeline::run), with `barrier.cluster.arrive.release.aligned;` `barrier.cluster.wait.acquire.aligned;` in place of
    /// the first two `barrier.cta.sync.aligned 0;`, and `.cluster` for `.cta` in the waits
    ///
    /// ```
    /// # use ptx::{cluster::Cluster, global::Tiles, pipeline::Pipeline};
    /// # fn body<'c>(cluster: &mut Cluster<'c>, pipeline: Pipeline<'c, [f32; 1024], 4>, tiles: Tiles<f32, 1024>)
    /// # -> Pipeline<'c, [f32; 1024], 4> {
    /// let Some(pair) = cluster.whole::<2>() else { return pipeline };
    /// let mut sum = 0.0;
    /// let pipeline = pipeline.run_multicast(
    ///     cluster,
    ///     pair,
    ///     |mut producer| {
    ///         let mut i = 0;
    ///         while let Some(tile) = tiles.get(i) {
    ///             producer = producer.load(tile); // the first or the second half, into both CTAs
    ///             i += 1;
    ///         }
    ///         producer
    ///     },
    ///     |mut consumer| {
    ///         for _ in 0..tiles.count() {
    ///             let tile = consumer.wait(); // for both halves
    ///             sum += tile.get(tile.rank() as usize).unwrap_or(0.0);
    ///             consumer = tile.release();
    ///         }
    ///         consumer
    ///     },
    /// );
    /// # pipeline
    /// # }
    /// ```
    #[inline(always)]
    pub fn run_multicast<G: SharingIn<'s>>(
        self,
        cluster: &mut Cluster<'s>,
        group: G,
        produce: impl for<'p> FnOnce(Producer<'p, S, STAGES, G>) -> Producer<'p, S, STAGES, G>,
        consume: impl for<'p> FnOnce(Consumer<'p, S, STAGES, G>) -> Consumer<'p, S, STAGES, G>,
    ) -> Self {
        const { Layout::<S, STAGES>::check_shared::<G>() };
        self.run_in(cluster.cta(), group, || cluster.sync(), produce, consume);
        self.reset(cluster.cta(), || cluster.sync());
        self
    }

    /// [`run_multicast`](Pipeline::run_multicast), as the last of the kernel ([`Cta::cluster_last`]): the mbarriers stay as they are, and
    /// the scope's barrier is the last.
    ///
    /// A cluster call.
    ///
    /// Collective in the cluster.
    ///
    /// PTX: as [`run_multicast`](Pipeline::run_multicast), without the two last barriers and what lies between them
    ///
    /// ```
    /// # use ptx::{global::Tiles, launch::{Cta, trap}, pipeline::PipelineMemory};
    /// # fn kernel(cta: Cta, memory: PipelineMemory<[f32; 1024], 4>, tiles: Tiles<f32, 1024>, sum: &mut f32) {
    /// cta.cluster_last(memory, |mut cluster, pipeline| {
    ///     let Some(pair) = cluster.whole::<2>() else { trap() };
    ///     let ended = pipeline.run_multicast_last(
    ///         &mut cluster,
    ///         pair,
    ///         |producer| (0..tiles.count()).filter_map(|i| tiles.get(i)).fold(producer, |producer, tile| producer.load(tile)),
    ///         |mut consumer| {
    ///             for _ in 0..tiles.count() {
    ///                 let tile = consumer.wait();
    ///                 *sum += tile.get(tile.rank() as usize).unwrap_or(0.0);
    ///                 consumer = tile.release();
    ///             }
    ///             consumer
    ///         },
    ///     );
    ///     (cluster, ended)
    /// });
    /// # }
    /// ```
    #[inline(always)]
    pub fn run_multicast_last<G: SharingIn<'s>>(
        self,
        cluster: &mut Cluster<'s>,
        group: G,
        produce: impl for<'p> FnOnce(Producer<'p, S, STAGES, G>) -> Producer<'p, S, STAGES, G>,
        consume: impl for<'p> FnOnce(Consumer<'p, S, STAGES, G>) -> Consumer<'p, S, STAGES, G>,
    ) -> Ended<'s, PipelineMemory<S, STAGES>> {
        const { Layout::<S, STAGES>::check_shared::<G>() };
        self.run_in(cluster.cta(), group, || cluster.sync(), produce, consume);
        Ended::new()
    }

    /// From the initialisation of the mbarriers, which `sync` shows to all that use them, to the producer's wait for its copies.
    #[inline(always)]
    fn run_in<G: Sharing>(
        &self,
        cta: &Cta,
        group: G,
        sync: impl Fn(),
        produce: impl for<'p> FnOnce(Producer<'p, S, STAGES, G>) -> Producer<'p, S, STAGES, G>,
        consume: impl for<'p> FnOnce(Consumer<'p, S, STAGES, G>) -> Consumer<'p, S, STAGES, G>,
    ) {
        let (rank, threads) = (cta.thread_rank(), cta.thread_count());
        if threads <= WARP || !threads.is_multiple_of(WARP) {
            trap();
        }
        // An arrival of each warp that consumes, in each CTA that shares tiles with this.
        let releases = const { if G::CTAS == 0 { 1 } else { G::CTAS } } * (threads / WARP - 1);
        if rank == 0 {
            for_each_stage::<STAGES>(|stage| {
                // SAFETY: the memory is this pipeline's, idle, and holds no valid mbarrier; a cluster has fewer than 2^20
                // threads.
                unsafe {
                    raw::mbarrier_init(space::SharedCta, Layout::<S, STAGES>::full(self.addr, stage), 1);
                    raw::mbarrier_init(
                        space::SharedCta,
                        Layout::<S, STAGES>::empty(self.addr, stage),
                        releases,
                    );
                }
            });
            raw::fence_mbarrier_init();
            raw::fence_proxy_async(space::SharedCta);
        }
        sync();
        if rank == 0 {
            let at = Position::start(self.addr, group);
            let producer = produce(Producer { at, _run: PhantomData, _tiles: PhantomData });
            producer.drain();
        } else if rank >= WARP {
            let at = Position::start(self.addr, group);
            let (rank, count) = (rank - WARP, threads - WARP);
            let _done = consume(Consumer { at, rank, count, _run: PhantomData, _tiles: PhantomData });
        }
    }

    /// Invalidates the mbarriers, which no thread uses after the barrier that `sync` is.
    #[inline(always)]
    fn reset(&self, cta: &Cta, sync: impl FnOnce()) {
        sync();
        if cta.thread_rank() == 0 {
            for_each_stage::<STAGES>(|stage| {
                // SAFETY: valid, and by the barrier above no thread uses them any more.
                unsafe {
                    raw::mbarrier_inval(space::SharedCta, Layout::<S, STAGES>::full(self.addr, stage));
                    raw::mbarrier_inval(space::SharedCta, Layout::<S, STAGES>::empty(self.addr, stage));
                }
            });
        }
        cta.sync();
    }
}

/// The same number, of which LLVM knows nothing: it does not unroll a loop that counts by it. For loops that are not worth the code.
#[inline(always)]
fn rolled(mut number: u32) -> u32 {
    #[cfg(target_arch = "nvptx64")]
    // SAFETY: a comment.
    unsafe {
        core::arch::asm!("// {0}", inout(reg32) number, options(pure, nomem, nostack, preserves_flags));
    }
    #[cfg(not(target_arch = "nvptx64"))]
    {
        number = core::hint::black_box(number);
    }
    number
}

#[inline(always)]
fn for_each_stage<const STAGES: usize>(mut each: impl FnMut(u32)) {
    let mut stage = 0;
    while stage < STAGES as u32 {
        each(stage);
        stage += 1;
    }
}

impl<'p, S: StageTiles, const STAGES: usize, G: Sharing> Producer<'p, S, STAGES, G> {
    /// Waits until the next stage is free and starts to load `src` into it: a tile of global memory, or a part of a tensor of as
    /// many elements; for a stage of two tiles, a pair. In [`run_multicast`](Pipeline::run_multicast) the CTAs of a group load
    /// the same tile of global memory, but each its own part of a tensor, of `N / CTAS` elements: the first of the tile that of
    /// rank 0.
    ///
    /// PTX: repeated while false: `mbarrier.try_wait.parity.acquire.cta.shared::cta.b64
    /// waitComplete, [empty], parity;`, then `mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 state, [full], bytes;`
    /// and for each tile `cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [tile], [src], bytes, [full];` or
    /// `cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [tile], [map, {x, y}], [full];` in the
    /// rank and the mode of the map. In [`run_multicast`](Pipeline::run_multicast) each copies this CTA's part, and has
    /// `.shared::cluster` for the first `.shared::cta`, `.multicast::cluster` and the mask of the group.
    ///
    /// ```
    /// # use ptx::{global::GlobalTile, pipeline::Producer, tensor::{Box2, TensorMap}};
    /// # type Tile = GlobalTile<f32, 512>;
    /// # fn produce<'p>(producer: Producer<'p, [f32; 512], 4>, x: Tile, y: Tile) -> Producer<'p, [f32; 512], 4> {
    /// let producer = producer.load(x).load(y); // into two stages
    /// # producer
    /// # }
    ///
    /// fn products<'p>(
    ///     mut producer: Producer<'p, ([f32; 2048], [f32; 512]), 4>,
    ///     a: TensorMap<f32, Box2<64, 32>>,
    ///     b: Tile,
    /// ) -> Producer<'p, ([f32; 2048], [f32; 512]), 4> {
    ///     for y in 0..4 {
    ///         producer = producer.load((a.box_at([0, y]), b)); // both into one stage
    ///     }
    ///     producer
    /// }
    /// ```
    #[inline(always)]
    pub fn load<Src: StageSource<S, G>>(mut self, src: Src) -> Self {
        const { Src::FITS };
        let Position { base, stage, parity, group } = self.at;
        let full = Layout::<S, STAGES>::full(base, stage);
        let empty = Layout::<S, STAGES>::empty(base, stage);
        // SAFETY: valid. The releases that free the stage end the phase of the round before, whose parity is the other; it
        // is the current phase or the one before, since the next releases need this load. In the first round it is
        // the phase before the first, which counts as complete: assumed in docs/SOUNDNESS.md.
        unsafe { self.at.wait(empty, parity ^ 1, suspend_time_hint::None) };
        // SAFETY: valid; this thread makes the one arrival of the phase, and consumers have waited for the phase
        // before when they released the stage. The copies below, and those of the other CTAs, bring the bytes; what is
        // here before this arrival takes the tx-count below zero, within its range, and cannot complete the phase.
        unsafe {
            raw::mbarrier_arrive_expect_tx(
                sem::Release,
                scope::Cta,
                space::SharedCta,
                full,
                const { size::shared(S::BYTES) },
            )
        };
        // SAFETY: the stage is free in every CTA that shares tiles with this, and aligned to 128 bytes, as is each tile in
        // it; `run_in` ends after the copies.
        unsafe { src.load(base + stage * Layout::<S, STAGES>::STAGE, group, full, cache_hint::None) };
        self.at.advance::<STAGES>();
        self
    }

    /// Waits for the copies in flight, consumed or not.
    #[inline(always)]
    fn drain(mut self) {
        let mut stages = STAGES as u32;
        while stages > 0 {
            let full = Layout::<S, STAGES>::full(self.at.base, self.at.stage);
            // SAFETY: valid. From here on, stages were last loaded in the round before, and after the wrap in this one; a
            // stage never loaded is in its first phase, and the one before counts as complete, as in `load`.
            unsafe { self.at.wait(full, self.at.parity ^ 1, suspend_time_hint::None) };
            self.at.advance::<STAGES>();
            stages = rolled(stages - 1);
        }
    }
}

impl<'p, S: StageTiles, const STAGES: usize, G: Sharing> Consumer<'p, S, STAGES, G> {
    /// The thread's rank among the consumers.
    ///
    /// ```
    /// # use ptx::pipeline::Consumer;
    /// # fn consume(consumer: &Consumer<'_, [f32; 512], 4>) {
    /// let first = consumer.rank() == 0; // thread 32 of the CTA
    /// # }
    /// ```
    #[inline(always)]
    pub fn rank(&self) -> u32 {
        self.rank
    }

    /// How many threads consume.
    ///
    /// ```
    /// # use ptx::pipeline::Consumer;
    /// # fn consume(consumer: &Consumer<'_, [f32; 512], 4>) {
    /// let elements_each = 512 / consumer.count();
    /// # }
    /// ```
    #[inline(always)]
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Waits until the next tile has arrived.
    ///
    /// PTX, repeated while false: `mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 waitComplete, [full], parity;`
    ///
    /// ```
    /// # use ptx::pipeline::Consumer;
    /// # fn consume<'p>(consumer: Consumer<'p, [f32; 512], 4>) -> Consumer<'p, [f32; 512], 4> {
    /// let tile = consumer.wait();
    /// let x = tile.get(0);
    /// tile.release()
    /// # }
    /// ```
    #[inline(always)]
    pub fn wait(self) -> Arrived<'p, S, STAGES, G> {
        let full = Layout::<S, STAGES>::full(self.at.base, self.at.stage);
        // SAFETY: valid; the phase of this parity is the current or the one before: the stage is not loaded again before
        // this thread releases it.
        unsafe { self.at.wait(full, self.at.parity, suspend_time_hint::None) };
        Arrived(self)
    }

    /// [`wait`](Consumer::wait) whose tries may each last `nanoseconds`, for waits known to be long.
    ///
    /// PTX, repeated while false: `mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 waitComplete, [full], parity,
    /// suspendTimeHint;`
    ///
    /// ```
    /// # use ptx::pipeline::Consumer;
    /// # fn consume<'p>(consumer: Consumer<'p, [f32; 512], 4>) -> Consumer<'p, [f32; 512], 4> {
    /// let tile = consumer.wait_suspended(10_000); // 10 µs a try at most
    /// # tile.release()
    /// # }
    /// ```
    #[inline(always)]
    pub fn wait_suspended(self, nanoseconds: u32) -> Arrived<'p, S, STAGES, G> {
        let full = Layout::<S, STAGES>::full(self.at.base, self.at.stage);
        // SAFETY: as in `wait`.
        unsafe { self.at.wait(full, self.at.parity, suspend_time_hint::Nanoseconds(nanoseconds)) };
        Arrived(self)
    }
}

impl<'p, S: StageTiles, const STAGES: usize, G: Sharing> Arrived<'p, S, STAGES, G> {
    /// The tile, or the pair of tiles.
    ///
    /// ```
    /// # use ptx::pipeline::Arrived;
    /// # fn consume(stage: &Arrived<'_, ([f32; 512], [u32; 64]), 4>) {
    /// let (values, indices) = stage.tiles();
    /// let value = indices.get(0).and_then(|i| values.get(i as usize));
    /// # }
    /// ```
    #[inline(always)]
    pub fn tiles(&self) -> S::View<'_> {
        // SAFETY: they have arrived, and this thread does not release the stage while it is borrowed.
        unsafe { S::view(self.0.at.base + self.0.at.stage * Layout::<S, STAGES>::STAGE) }
    }

    /// The thread's rank among the consumers.
    ///
    /// ```
    /// # use ptx::pipeline::Arrived;
    /// # fn consume(tile: &Arrived<'_, [f32; 512], 4>) {
    /// let own = tile.get(tile.rank() as usize);
    /// # }
    /// ```
    #[inline(always)]
    pub fn rank(&self) -> u32 {
        self.0.rank
    }

    /// How many threads consume.
    ///
    /// ```
    /// # use ptx::pipeline::Arrived;
    /// # fn consume(tile: &Arrived<'_, [f32; 512], 4>) {
    /// let second_own = tile.get((tile.rank() + tile.count()) as usize);
    /// # }
    /// ```
    #[inline(always)]
    pub fn count(&self) -> u32 {
        self.0.count
    }

    /// Gives the stage back to the producer, when all threads of the warp have read. They make it in one order with the calls of a
    /// [`Warp`](crate::warp::Warp).
    ///
    /// Collective in the warp.
    ///
    /// PTX: `bar.warp.sync 0xffffffff;`, then by lane 0 `mbarrier.arrive.release.cta.shared::cta.b64 state, [empty];`, in
    /// [`run_multicast`](Pipeline::run_multicast) by as many lanes as CTAs share tiles `mapa.shared::cluster.u32 bar, empty, cta;`
    /// `mbarrier.arrive.release.cluster.shared::cluster.b64 _, [bar];`
    ///
    /// ```
    /// # use ptx::pipeline::{Arrived, Consumer};
    /// # fn consume<'p>(tile: Arrived<'p, [f32; 512], 4>) -> Consumer<'p, [f32; 512], 4> {
    /// let x = tile.get(0);
    /// let consumer = tile.release(); // the producer may load the stage again
    /// # consumer
    /// # }
    /// ```
    #[inline(always)]
    pub fn release(self) -> Consumer<'p, S, STAGES, G> {
        let mut consumer = self.0;
        let empty = Layout::<S, STAGES>::empty(consumer.at.base, consumer.at.stage);
        // Behind it all lanes have read: by the contract of `enter` it meets no other call of the warp.
        // SAFETY: the CTA is of whole warps, so the executing thread is in the mask.
        unsafe { raw::bar_warp_sync(u32::MAX) };
        // Warps are of 32 threads by their ranks, and so are consumers.
        let lane = consumer.rank % WARP;
        if G::CTAS == 0 {
            if lane == 0 {
                // SAFETY: valid; the warp's one arrival of the phase: the next needs the stage loaded again, which the
                // producer does after its wait for this phase.
                unsafe {
                    raw::mbarrier_arrive(sem::Release, scope::Cta, space::SharedCta, empty, arrivals::One)
                };
            }
        } else if lane < G::CTAS {
            // SAFETY: valid in every CTA of the cluster, alive in the scope, at the same place; the warp's arrival of the
            // phase there for this group: the next needs the stage loaded again, to which each producer of the
            // group brings its part after its wait for this phase.
            unsafe {
                let bar = raw::mapa_shared_cluster(empty, consumer.at.group.cta(lane));
                raw::mbarrier_arrive_shared_cluster(sem::Release, scope::Cluster, bar, arrivals::One);
            }
        }
        consumer.at.advance::<STAGES>();
        consumer
    }
}

impl<T: Element, const N: usize, const STAGES: usize, G: Sharing> Arrived<'_, [T; N], STAGES, G> {
    /// Element `i` of the tile, or `None` past the end.
    ///
    /// PTX: `ld.weak.shared::cta`
    ///
    /// ```
    /// # use ptx::pipeline::Arrived;
    /// # fn consume(tile: &Arrived<'_, [f32; 512], 4>) {
    /// let (first, none) = (tile.get(0), tile.get(512));
    /// # }
    /// ```
    #[inline(always)]
    pub fn get(&self, i: usize) -> Option<T> {
        self.tiles().get(i)
    }

    /// The sixteen bytes that start at byte `16 * i`, or `None` past the end.
    ///
    /// PTX: `ld.weak.shared::cta.v4.b32`, or `.v2.b64`, or `.b128` ([`Element::Vector`])
    ///
    /// ```
    /// # use ptx::pipeline::Arrived;
    /// # fn consume(tile: &Arrived<'_, [f32; 512], 4>) {
    /// if let Some([a, b, c, d]) = tile.get_vector(tile.rank() as usize) {
    ///     let sum = a + b + c + d;
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn get_vector(&self, i: usize) -> Option<T::Vector> {
        self.tiles().get_vector(i)
    }
}
