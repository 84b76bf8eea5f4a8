//! A pipeline whose threads have different parts: one thread loads, the warps after the first consume. In a cluster,
//! each CTA of a group loads its part of a tile for all of them.

use core::marker::PhantomData;

use super::Invariant;
use crate::bulk::CachePolicy;
use crate::cluster::{Cluster, Group, Members};
use crate::global::TileSource;
use crate::launch::{Cta, trap};
use crate::qualifier::{scope, sem, space};
use crate::raw;
use crate::shared::{ALIGN, Element, Lend, Place};
use crate::tensor::{LoadShape, TensorTile, tile_bytes};

const WARP: u32 = 32;

/// Memory for a [`Pipeline`] of `STAGES` stages, each of a tile of `N` elements, with two mbarriers a stage.
///
/// ```
/// # use ptx::{launch::Cta, pipeline::PipelineMemory};
/// // Four stages of 512 words.
/// ptx::shared_memory! { struct Smem { stages: PipelineMemory<u32, 512, 4> } }
/// # fn kernel(cta: &Cta, smem: Smem) {
/// let memory = cta.lend(smem.stages, |cta, pipeline| pipeline);
/// # }
/// ```
#[derive(Debug)]
pub struct PipelineMemory<T, const N: usize, const STAGES: usize> {
    addr: u32,
    _tiles: PhantomData<*mut T>,
}

/// Where things are in a pipeline.
struct Layout<T, const N: usize, const STAGES: usize>(PhantomData<T>);

impl<T: Element, const N: usize, const STAGES: usize> Layout<T, N, STAGES> {
    const STAGE: u32 = ((N * size_of::<T>()) as u32).next_multiple_of(ALIGN);
    const BARRIERS: u32 = STAGES as u32 * Self::STAGE;
    const BYTES: u32 = Self::BARRIERS + 16 * STAGES as u32;
    /// What the copies into a stage bring.
    const COPY: u32 = (N * size_of::<T>()) as u32;

    const fn check<const CTAS: u32>() {
        assert!(STAGES > 0, "a pipeline has at least one stage");
        assert!(STAGES <= 1 << 16, "no CTA has shared memory for more than 2^16 stages");
        assert!(N > 0, "a tile has at least one element");
        assert!(
            N * size_of::<T>() < 1 << 20,
            "a stage's mbarrier counts 2^20 - 1 bytes at most: choose smaller tiles (PTX ISA 9.7.13.15.2)"
        );
        assert!(
            CTAS == 1 || (N * size_of::<T>()).is_multiple_of(16 * CTAS as usize),
            "each CTA of the group copies its part of a tile: choose tiles of a multiple of 16 bytes a CTA (PTX ISA 9.7.9.25.4.1)"
        );
    }

    /// The mbarrier that completes when the stage's tile has arrived.
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
unsafe impl<T: Element, const N: usize, const STAGES: usize> Place for PipelineMemory<T, N, STAGES> {
    const SIZE: u32 = Layout::<T, N, STAGES>::BYTES;
    const ALIGN: u32 = ALIGN;

    #[inline(always)]
    unsafe fn at(addr: u32) -> Self {
        PipelineMemory { addr, _tiles: PhantomData }
    }
}

// SAFETY: a `Pipeline` has no copy in flight and no valid mbarrier, and one scope makes one of them.
unsafe impl<T: Element, const N: usize, const STAGES: usize> Lend for PipelineMemory<T, N, STAGES> {
    type Lent<'s> = Pipeline<'s, T, N, STAGES>;
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
/// # fn kernel(cta: &Cta, memory: PipelineMemory<f32, 512, 4>, tile: GlobalTile<f32, 512>) {
/// cta.lend(memory, |cta, pipeline| {
///     // One tile through it. The thread that loads and those that consume run at the same time.
///     pipeline.run(cta, |producer| producer.load(tile), |consumer| consumer.wait().release())
/// });
/// # }
/// ```
#[must_use = "the scope has to return this handle: keep it"]
#[derive(Debug)]
pub struct Pipeline<'s, T, const N: usize, const STAGES: usize> {
    addr: u32,
    _scope: Invariant<'s>,
    _tiles: PhantomData<*mut T>,
}

/// Where a thread is in the ring of stages, and the CTAs that have the tiles in common.
#[derive(Debug)]
struct Position<const CTAS: u32> {
    base: u32,
    stage: u32,
    parity: u32,
    members: Members<CTAS>,
}

impl<const CTAS: u32> Position<CTAS> {
    #[inline(always)]
    fn start(base: u32, members: Members<CTAS>) -> Self {
        Position { base, stage: 0, parity: 0, members }
    }

    /// Waits for the phase of that parity of an mbarrier, which copies or threads of the whole group complete.
    ///
    /// # Safety
    ///
    /// The mbarrier is valid, and in this phase or in the next.
    #[inline(always)]
    unsafe fn wait(bar: u32, parity: u32) {
        // SAFETY: the caller's.
        while !unsafe {
            if CTAS == 1 {
                raw::mbarrier_try_wait_parity(sem::Acquire, scope::Cta, space::SharedCta, bar, parity)
            } else {
                raw::mbarrier_try_wait_parity(sem::Acquire, scope::Cluster, space::SharedCta, bar, parity)
            }
        } {}
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
/// fn produce<'p>(mut producer: Producer<'p, f32, 512, 4>, x: Tiles<f32, 512>) -> Producer<'p, f32, 512, 4> {
///     let mut i = 0;
///     while let Some(tile) = x.get(i) {
///         (producer, i) = (producer.load(tile), i + 1);
///     }
///     producer
/// }
/// ```
#[must_use = "the closure has to return this handle: keep it"]
#[derive(Debug)]
pub struct Producer<'p, T, const N: usize, const STAGES: usize, const CTAS: u32 = 1> {
    at: Position<CTAS>,
    _run: Invariant<'p>,
    _tiles: PhantomData<*mut T>,
}

/// The part of the threads that compute: they read stages that have arrived.
///
/// ```
/// # use ptx::pipeline::Consumer;
/// fn consume<'p>(mut consumer: Consumer<'p, f32, 512, 4>, tiles: usize) -> Consumer<'p, f32, 512, 4> {
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
pub struct Consumer<'p, T, const N: usize, const STAGES: usize, const CTAS: u32 = 1> {
    at: Position<CTAS>,
    rank: u32,
    count: u32,
    _run: Invariant<'p>,
    _tiles: PhantomData<*mut T>,
}

/// A stage that has arrived, as a consumer holds it.
///
/// ```
/// # use ptx::pipeline::Arrived;
/// // A consumer's share of the tile.
/// fn sum(tile: &Arrived<'_, u32, 512, 4>) -> u32 {
///     let own = (tile.rank()..512).step_by(tile.count() as usize);
///     own.filter_map(|i| tile.get(i as usize)).fold(0, u32::wrapping_add)
/// }
/// ```
#[must_use = "the producer waits for the stage: call `.release()`"]
#[derive(Debug)]
pub struct Arrived<'p, T, const N: usize, const STAGES: usize, const CTAS: u32 = 1>(
    Consumer<'p, T, N, STAGES, CTAS>,
);

impl<'s, T: Element, const N: usize, const STAGES: usize> Pipeline<'s, T, N, STAGES> {
    /// Runs `produce` in the first thread of the CTA and `consume` in every thread of the warps after the first; the other
    /// threads of the first warp wait. Both go round the stages: the producer loads as many tiles as each consumer waits
    /// for. A consumer that waits for more waits for ever. Traps where the CTA has no second warp.
    ///
    /// PTX by the elected thread, a stage: two `mbarrier.init.shared::cta.b64`; `fence.mbarrier_init.release.cluster;`
    /// `fence.proxy.async.shared::cta;` by every thread `barrier.cta.sync 0;`; after both, by the producer, a stage:
    /// `mbarrier.try_wait.parity.acquire.cta.shared::cta.b64`; by every thread `barrier.cta.sync 0;`; by the
    /// elected thread, a stage: two `mbarrier.inval.shared::cta.b64`; by every thread `barrier.cta.sync 0;`
    ///
    /// ```
    /// # use ptx::{global::Tiles, launch::Cta, pipeline::PipelineMemory};
    /// # fn kernel(cta: &Cta, memory: PipelineMemory<f32, 1024, 4>, tiles: Tiles<f32, 1024>) {
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
        cta: &Cta,
        produce: impl for<'p> FnOnce(Producer<'p, T, N, STAGES>) -> Producer<'p, T, N, STAGES>,
        consume: impl for<'p> FnOnce(Consumer<'p, T, N, STAGES>) -> Consumer<'p, T, N, STAGES>,
    ) -> Self {
        // A thread of the CTA alone uses the mbarriers.
        self.run_in(cta, Members::ALONE, || cta.sync(), produce, consume)
    }

    /// [`run`](Pipeline::run) of tiles that the CTAs of a group have in common. All of them load the same tiles, each its part
    /// of every tile, from `size * rank / CTAS` on, into the stages of all, and wait for all tiles: global memory is read
    /// once a group. A stage is loaded again when the consumers of the whole group have released it; they do by warps.
    ///
    /// A cluster call. Where one CTA loads, or its consumers wait for, more tiles than another, the group waits for ever. Traps
    /// where the CTA is not of whole warps.
    ///
    /// PTX: as [`run`](Pipeline::run), with `barrier.cluster.arrive.release;` `barrier.cluster.wait.acquire;` in place of
    /// the first two `barrier.cta.sync 0;`, and `.cluster` for `.cta` in the waits
    ///
    /// ```
    /// # use ptx::{cluster::Cluster, global::Tiles, pipeline::Pipeline};
    /// # fn body<'c>(cluster: &Cluster<'c>, pipeline: Pipeline<'c, f32, 1024, 4>, tiles: Tiles<f32, 1024>)
    /// # -> Pipeline<'c, f32, 1024, 4> {
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
    pub fn run_multicast<const CTAS: u32>(
        self,
        cluster: &Cluster<'s>,
        group: Group<'s, CTAS>,
        produce: impl for<'p> FnOnce(Producer<'p, T, N, STAGES, CTAS>) -> Producer<'p, T, N, STAGES, CTAS>,
        consume: impl for<'p> FnOnce(Consumer<'p, T, N, STAGES, CTAS>) -> Consumer<'p, T, N, STAGES, CTAS>,
    ) -> Self {
        if !cluster.cta().thread_count().is_multiple_of(WARP) {
            trap();
        }
        // The other CTAs use the mbarriers and the stages too.
        self.run_in(cluster.cta(), group.members(), || cluster.sync(), produce, consume)
    }

    /// `sync` waits for all that use the mbarriers and the stages.
    #[inline(always)]
    fn run_in<const CTAS: u32>(
        self,
        cta: &Cta,
        members: Members<CTAS>,
        sync: impl Fn(),
        produce: impl for<'p> FnOnce(Producer<'p, T, N, STAGES, CTAS>) -> Producer<'p, T, N, STAGES, CTAS>,
        consume: impl for<'p> FnOnce(Consumer<'p, T, N, STAGES, CTAS>) -> Consumer<'p, T, N, STAGES, CTAS>,
    ) -> Self {
        const { Layout::<T, N, STAGES>::check::<CTAS>() };
        let (rank, threads) = (cta.thread_rank(), cta.thread_count());
        if threads <= WARP {
            trap();
        }
        // One arrival of each thread that consumes; or of each of their warps, in each CTA of the group.
        let releases = if CTAS == 1 { threads - WARP } else { CTAS * (threads / WARP - 1) };
        if rank == 0 {
            for_each_stage::<STAGES>(|stage| {
                // SAFETY: the memory is this pipeline's, idle, and holds no valid mbarrier; a cluster has fewer than 2^20
                // threads.
                unsafe {
                    raw::mbarrier_init(space::SharedCta, Layout::<T, N, STAGES>::full(self.addr, stage), 1);
                    raw::mbarrier_init(
                        space::SharedCta,
                        Layout::<T, N, STAGES>::empty(self.addr, stage),
                        releases,
                    );
                }
            });
            raw::fence_mbarrier_init();
        }
        raw::fence_proxy_async(space::SharedCta);
        sync();
        if rank == 0 {
            let at = Position::start(self.addr, members);
            let producer = produce(Producer { at, _run: PhantomData, _tiles: PhantomData });
            producer.drain();
        } else if rank >= WARP {
            let at = Position::start(self.addr, members);
            let (rank, count) = (rank - WARP, threads - WARP);
            let _done = consume(Consumer { at, rank, count, _run: PhantomData, _tiles: PhantomData });
        }
        sync();
        if rank == 0 {
            for_each_stage::<STAGES>(|stage| {
                // SAFETY: valid, and by the barrier above no thread uses them any more.
                unsafe {
                    raw::mbarrier_inval(space::SharedCta, Layout::<T, N, STAGES>::full(self.addr, stage));
                    raw::mbarrier_inval(space::SharedCta, Layout::<T, N, STAGES>::empty(self.addr, stage));
                }
            });
        }
        cta.sync();
        self
    }
}

#[inline(always)]
fn for_each_stage<const STAGES: usize>(mut each: impl FnMut(u32)) {
    let mut stage = 0;
    while stage < STAGES as u32 {
        each(stage);
        stage += 1;
    }
}

impl<'p, T: Element, const N: usize, const STAGES: usize, const CTAS: u32> Producer<'p, T, N, STAGES, CTAS> {
    /// Waits until the next stage is free and starts to load `src` into it.
    ///
    /// PTX: repeated while false: `mbarrier.try_wait.parity.acquire.cta.shared::cta.b64
    /// waitComplete, [empty], parity;`, then `mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 state, [full], bytes;`
    /// `cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [stage], [src], bytes, [full];`, in
    /// [`run_multicast`](Pipeline::run_multicast)
    /// `cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [stage], [src], bytes, [full],
    /// ctaMask;` of this CTA's part
    ///
    /// ```
    /// # use ptx::{global::GlobalTile, pipeline::Producer};
    /// # type Tile = GlobalTile<f32, 512>;
    /// # fn produce<'p>(producer: Producer<'p, f32, 512, 4>, x: Tile, y: Tile) -> Producer<'p, f32, 512, 4> {
    /// let producer = producer.load(x).load(y); // into two stages
    /// # producer
    /// # }
    /// ```
    #[inline(always)]
    pub fn load(self, src: impl TileSource<T, N> + Copy) -> Self {
        let (base, members) = (src.base().cast::<u8>(), self.at.members);
        self.load_with(|stage, part, size, full| {
            let src = base.wrapping_add(part as usize);
            // SAFETY: see `load_with`; `src` is copied, so nobody writes it.
            unsafe {
                if CTAS == 1 {
                    raw::cp_async_bulk_shared_cta_global(stage, src, size, full)
                } else {
                    let mask = members.mask();
                    raw::cp_async_bulk_shared_cluster_global_multicast_cluster(stage, src, size, full, mask)
                }
            }
        })
    }

    /// [`load`](Producer::load) under an L2 cache policy.
    ///
    /// PTX: as [`load`](Producer::load), with `.L2::cache_hint` and the policy.
    ///
    /// ```
    /// # use ptx::{bulk::CachePolicy, global::GlobalTile, pipeline::Producer};
    /// # fn produce<'p>(producer: Producer<'p, f32, 512, 4>, x: GlobalTile<f32, 512>)
    /// # -> Producer<'p, f32, 512, 4> {
    /// let producer = producer.load_cache_hint(x, CachePolicy::evict_first());
    /// # producer
    /// # }
    /// ```
    #[inline(always)]
    pub fn load_cache_hint(self, src: impl TileSource<T, N> + Copy, policy: CachePolicy) -> Self {
        let (base, members, policy) = (src.base().cast::<u8>(), self.at.members, policy.bits());
        self.load_with(|stage, part, size, full| {
            let src = base.wrapping_add(part as usize);
            // SAFETY: see `load_with`; `src` is copied, so nobody writes it.
            unsafe {
                if CTAS == 1 {
                    raw::cp_async_bulk_shared_cta_global_cache_hint(stage, src, size, full, policy)
                } else {
                    let mask = members.mask();
                    raw::cp_async_bulk_shared_cluster_global_multicast_cluster_cache_hint(
                        stage, src, size, full, mask, policy,
                    )
                }
            }
        })
    }

    /// [`load`](Producer::load) of a part of a tensor, of as many elements as the stage.
    ///
    /// PTX: as [`load`](Producer::load), with
    /// `cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [stage], [map, {x, y}], [full];` in the
    /// rank and the mode of the map.
    ///
    /// ```
    /// # use ptx::{pipeline::Producer, tensor::{Box2, TensorMap}};
    /// # fn produce<'p>(mut producer: Producer<'p, f32, 2048, 4>, map: TensorMap<f32, Box2<64, 32>>, rows: i32)
    /// # -> Producer<'p, f32, 2048, 4> {
    /// let mut y = 0;
    /// while y < rows {
    ///     producer = producer.load_tensor(map.at([0, y]));
    ///     y += 32;
    /// }
    /// producer
    /// # }
    /// ```
    #[inline(always)]
    pub fn load_tensor<S: LoadShape>(self, src: TensorTile<T, S>) -> Self {
        const { tile_bytes::<T, S, N>() };
        self.load_with(|stage, _, _, full| {
            // SAFETY: see `load_with`; the shape brings as many bytes, asserted above, and the map is of that shape by the
            // contract of `TensorMap::from_raw`.
            unsafe { S::load(stage, src.map.object, src.at, full, None) }
        })
    }

    /// `copy` starts one copy into the stage, which is free in every CTA of the group: to the address, of the bytes of the
    /// tile from an offset on, of the size, and completing on the mbarrier, that it gets. The tile's type proves the
    /// size and the alignment of the source; stages are aligned to 128 bytes; `run_in` ends after the copy.
    #[inline(always)]
    fn load_with(mut self, copy: impl FnOnce(u32, u32, u32, u32)) -> Self {
        let Position { base, stage, parity, members } = self.at;
        let full = Layout::<T, N, STAGES>::full(base, stage);
        let empty = Layout::<T, N, STAGES>::empty(base, stage);
        // SAFETY: valid. The releases that free the stage end the phase of the round before, whose parity is the other; it
        // is the current phase or the one before, since the next releases need this load. In the first round it is
        // the phase before the first, which counts as complete.
        unsafe { Position::<CTAS>::wait(empty, parity ^ 1) };
        // SAFETY: valid; this thread makes the one arrival of the phase, and consumers have waited for the phase
        // before when they released the stage. The copy below, and those of the other CTAs, bring the bytes; what is here
        // before this arrival takes the tx-count below zero, within its range, and cannot complete the phase.
        unsafe {
            raw::mbarrier_arrive_expect_tx(
                sem::Release,
                scope::Cta,
                space::SharedCta,
                full,
                Layout::<T, N, STAGES>::COPY,
            )
        };
        let size = Layout::<T, N, STAGES>::COPY / CTAS;
        let part = if CTAS == 1 { 0 } else { members.rank * size };
        copy(base + stage * Layout::<T, N, STAGES>::STAGE + part, part, size, full);
        self.at.advance::<STAGES>();
        self
    }

    /// Waits for the copies in flight, consumed or not.
    #[inline(always)]
    fn drain(mut self) {
        for_each_stage::<STAGES>(|_| {
            let full = Layout::<T, N, STAGES>::full(self.at.base, self.at.stage);
            // SAFETY: valid. From here on, stages were last loaded in the round before, and after the wrap in this one; a
            // stage never loaded is in its first phase, and the one before counts as complete.
            unsafe { Position::<CTAS>::wait(full, self.at.parity ^ 1) };
            self.at.advance::<STAGES>();
        });
    }
}

impl<'p, T: Element, const N: usize, const STAGES: usize, const CTAS: u32> Consumer<'p, T, N, STAGES, CTAS> {
    /// The thread's rank among the consumers.
    ///
    /// ```
    /// # use ptx::pipeline::Consumer;
    /// # fn consume(consumer: &Consumer<'_, f32, 512, 4>) {
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
    /// # fn consume(consumer: &Consumer<'_, f32, 512, 4>) {
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
    /// # fn consume<'p>(consumer: Consumer<'p, f32, 512, 4>) -> Consumer<'p, f32, 512, 4> {
    /// let tile = consumer.wait();
    /// let x = tile.get(0);
    /// tile.release()
    /// # }
    /// ```
    #[inline(always)]
    pub fn wait(self) -> Arrived<'p, T, N, STAGES, CTAS> {
        let full = Layout::<T, N, STAGES>::full(self.at.base, self.at.stage);
        // SAFETY: valid; the phase of this parity is the current or the one before: the stage is not loaded again before
        // this thread releases it.
        unsafe { Position::<CTAS>::wait(full, self.at.parity) };
        Arrived(self)
    }
}

impl<'p, T: Element, const N: usize, const STAGES: usize, const CTAS: u32> Arrived<'p, T, N, STAGES, CTAS> {
    #[inline(always)]
    fn addr(&self) -> u32 {
        self.0.at.base + self.0.at.stage * Layout::<T, N, STAGES>::STAGE
    }

    /// The thread's rank among the consumers.
    ///
    /// ```
    /// # use ptx::pipeline::Arrived;
    /// # fn consume(tile: &Arrived<'_, f32, 512, 4>) {
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
    /// # fn consume(tile: &Arrived<'_, f32, 512, 4>) {
    /// let second_own = tile.get((tile.rank() + tile.count()) as usize);
    /// # }
    /// ```
    #[inline(always)]
    pub fn count(&self) -> u32 {
        self.0.count
    }

    /// Element `i` of the tile, or `None` past the end.
    ///
    /// PTX: `ld.weak.shared::cta`
    ///
    /// ```
    /// # use ptx::pipeline::Arrived;
    /// # fn consume(tile: &Arrived<'_, f32, 512, 4>) {
    /// let (first, none) = (tile.get(0), tile.get(512));
    /// # }
    /// ```
    #[inline(always)]
    pub fn get(&self, i: usize) -> Option<T> {
        // SAFETY: in bounds; the tile has arrived, and nobody writes it before every consumer has released it.
        (i < N).then(|| unsafe { T::load(self.addr() + (i * size_of::<T>()) as u32) })
    }

    /// The sixteen bytes that start at byte `16 * i`, or `None` past the end.
    ///
    /// PTX: `ld.weak.shared::cta.v4.b32`
    ///
    /// ```
    /// # use ptx::pipeline::Arrived;
    /// # fn consume(tile: &Arrived<'_, f32, 512, 4>) {
    /// if let Some([a, b, c, d]) = tile.get_vector(tile.rank() as usize) {
    ///     let sum = a + b + c + d;
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn get_vector(&self, i: usize) -> Option<T::Vector> {
        // SAFETY: as in `get`; stages are aligned to 128 bytes.
        (i < N * size_of::<T>() / 16).then(|| unsafe { T::load_vector(self.addr() + 16 * i as u32) })
    }

    /// Gives the stage back to the producer.
    ///
    /// PTX: `mbarrier.arrive.release.cta.shared::cta.b64 state, [empty];`, in [`run_multicast`](Pipeline::run_multicast)
    /// `bar.warp.sync 0xffffffff;`, then by as many lanes as the group has CTAs `mapa.shared::cluster.u32 bar, empty, cta;`
    /// `mbarrier.arrive.release.cluster.shared::cluster.b64 _, [bar];`
    ///
    /// ```
    /// # use ptx::pipeline::{Arrived, Consumer};
    /// # fn consume<'p>(tile: Arrived<'p, f32, 512, 4>) -> Consumer<'p, f32, 512, 4> {
    /// let x = tile.get(0);
    /// let consumer = tile.release(); // the producer may load the stage again
    /// # consumer
    /// # }
    /// ```
    #[inline(always)]
    pub fn release(self) -> Consumer<'p, T, N, STAGES, CTAS> {
        let mut consumer = self.0;
        let empty = Layout::<T, N, STAGES>::empty(consumer.at.base, consumer.at.stage);
        if CTAS == 1 {
            // SAFETY: valid; this thread's one arrival of the phase: the next needs the stage loaded again, which the producer
            // does after its wait for this phase.
            unsafe { raw::mbarrier_arrive(sem::Release, scope::Cta, space::SharedCta, empty) };
        } else {
            // SAFETY: the CTA is of whole warps, so the executing thread is in the mask.
            unsafe { raw::bar_warp_sync(u32::MAX) };
            let lane = raw::laneid();
            if lane < CTAS {
                // SAFETY: valid in every CTA of the group, which is alive, at the same place; the warp's one arrival of the
                // phase there, by this thread: the next needs the stage loaded again, to which each producer of the
                // group brings its part after its wait for this phase.
                unsafe {
                    let bar = raw::mapa_shared_cluster(empty, consumer.at.members.cta(lane));
                    raw::mbarrier_arrive_shared_cluster(sem::Release, scope::Cluster, bar);
                }
            }
        }
        consumer.at.advance::<STAGES>();
        consumer
    }
}
