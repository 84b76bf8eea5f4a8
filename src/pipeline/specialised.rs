//! A pipeline whose threads have different parts: one thread loads, the warps after the first consume.

use core::marker::PhantomData;

use super::Invariant;
use crate::bulk::CachePolicy;
use crate::global::TileSource;
use crate::launch::{Cta, trap};
use crate::qualifier::{scope, sem, space};
use crate::raw;
use crate::shared::{ALIGN, Element, Lend, Place, fence_async};
use crate::tensor::{LoadShape, TensorTile, tile_bytes};

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
    /// What a copy brings.
    const COPY: u32 = (N * size_of::<T>()) as u32;

    const fn check() {
        assert!(STAGES > 0, "a pipeline has at least one stage");
        assert!(STAGES <= 1 << 16, "no CTA has shared memory for more than 2^16 stages");
        assert!(N > 0, "a tile has at least one element");
        assert!(
            N * size_of::<T>() < 1 << 20,
            "a stage's mbarrier counts 2^20 - 1 bytes at most: choose smaller tiles (PTX ISA 9.7.13.15.2)"
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

/// Where a thread is in the ring of stages.
#[derive(Debug)]
struct Position {
    base: u32,
    stage: u32,
    parity: u32,
}

impl Position {
    #[inline(always)]
    fn start(base: u32) -> Self {
        Position { base, stage: 0, parity: 0 }
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
pub struct Producer<'p, T, const N: usize, const STAGES: usize> {
    at: Position,
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
pub struct Consumer<'p, T, const N: usize, const STAGES: usize> {
    at: Position,
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
pub struct Arrived<'p, T, const N: usize, const STAGES: usize>(Consumer<'p, T, N, STAGES>);

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
        const { Layout::<T, N, STAGES>::check() };
        const WARP: u32 = 32;
        let (rank, threads) = (cta.thread_rank(), cta.thread_count());
        if threads <= WARP {
            trap();
        }
        if rank == 0 {
            for_each_stage::<STAGES>(|stage| {
                // SAFETY: the memory is this pipeline's, idle, and holds no valid mbarrier; a CTA has fewer than 2^20 threads.
                unsafe {
                    raw::mbarrier_init(space::SharedCta, Layout::<T, N, STAGES>::full(self.addr, stage), 1);
                    raw::mbarrier_init(
                        space::SharedCta,
                        Layout::<T, N, STAGES>::empty(self.addr, stage),
                        threads - WARP,
                    );
                }
            });
            raw::fence_mbarrier_init();
        }
        fence_async(cta);
        if rank == 0 {
            let at = Position::start(self.addr);
            let producer = produce(Producer { at, _run: PhantomData, _tiles: PhantomData });
            producer.drain();
        } else if rank >= WARP {
            let at = Position::start(self.addr);
            let (rank, count) = (rank - WARP, threads - WARP);
            let _done = consume(Consumer { at, rank, count, _run: PhantomData, _tiles: PhantomData });
        }
        cta.sync();
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

impl<'p, T: Element, const N: usize, const STAGES: usize> Producer<'p, T, N, STAGES> {
    /// Waits until the next stage is free and starts to load `src` into it.
    ///
    /// PTX: repeated while false: `mbarrier.try_wait.parity.acquire.cta.shared::cta.b64
    /// waitComplete, [empty], parity;`, then `mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 state, [full], bytes;`
    /// `cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [stage], [src], bytes, [full];`
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
        let base = src.base().cast();
        self.load_with(|stage, size, full| {
            // SAFETY: see `load_with`; `src` is copied, so nobody writes it.
            unsafe { raw::cp_async_bulk_shared_cta_global(stage, base, size, full) }
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
        let base = src.base().cast();
        self.load_with(|stage, size, full| {
            // SAFETY: see `load_with`; `src` is copied, so nobody writes it.
            unsafe { raw::cp_async_bulk_shared_cta_global_cache_hint(stage, base, size, full, policy.bits()) }
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
        self.load_with(|stage, _, full| {
            // SAFETY: see `load_with`; the shape brings as many bytes, asserted above, and the map is of that shape by the
            // contract of `TensorMap::from_raw`.
            unsafe { S::load(stage, src.map.object, src.at, full, None) }
        })
    }

    /// `copy` starts one copy of the size that it gets into the stage, which is free, completing on the mbarrier. The tile's
    /// type proves the size and the alignment of the source; stages are aligned to 128 bytes; `run` ends after the copy.
    #[inline(always)]
    pub(crate) fn load_with(mut self, copy: impl FnOnce(u32, u32, u32)) -> Self {
        let Position { base, stage, parity } = self.at;
        let full = Layout::<T, N, STAGES>::full(base, stage);
        let empty = Layout::<T, N, STAGES>::empty(base, stage);
        // SAFETY: valid. The release that frees the stage ends the phase of the round before, whose parity is the other; it
        // is the current phase or the one before, since the next release needs this load. In the first round it is
        // the phase before the first, which counts as complete.
        while !unsafe {
            raw::mbarrier_try_wait_parity(sem::Acquire, scope::Cta, space::SharedCta, empty, parity ^ 1)
        } {}
        // SAFETY: valid; this thread makes the one arrival of the phase, and consumers have waited for the phase
        // before when they released the stage. The copy below brings the bytes.
        unsafe {
            raw::mbarrier_arrive_expect_tx(
                sem::Release,
                scope::Cta,
                space::SharedCta,
                full,
                Layout::<T, N, STAGES>::COPY,
            )
        };
        copy(base + stage * Layout::<T, N, STAGES>::STAGE, Layout::<T, N, STAGES>::COPY, full);
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
            while !unsafe {
                raw::mbarrier_try_wait_parity(
                    sem::Acquire,
                    scope::Cta,
                    space::SharedCta,
                    full,
                    self.at.parity ^ 1,
                )
            } {}
            self.at.advance::<STAGES>();
        });
    }
}

impl<'p, T: Element, const N: usize, const STAGES: usize> Consumer<'p, T, N, STAGES> {
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
    pub fn wait(self) -> Arrived<'p, T, N, STAGES> {
        let full = Layout::<T, N, STAGES>::full(self.at.base, self.at.stage);
        // SAFETY: valid; the phase of this parity is the current or the one before: the stage is not loaded again before
        // this thread releases it.
        while !unsafe {
            raw::mbarrier_try_wait_parity(sem::Acquire, scope::Cta, space::SharedCta, full, self.at.parity)
        } {}
        Arrived(self)
    }
}

impl<'p, T: Element, const N: usize, const STAGES: usize> Arrived<'p, T, N, STAGES> {
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
    /// PTX: `mbarrier.arrive.release.cta.shared::cta.b64 state, [empty];`
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
    pub fn release(self) -> Consumer<'p, T, N, STAGES> {
        let mut consumer = self.0;
        let empty = Layout::<T, N, STAGES>::empty(consumer.at.base, consumer.at.stage);
        // SAFETY: valid; this thread's one arrival of the phase: the next needs the stage loaded again, which the producer
        // does after its wait for this phase.
        unsafe { raw::mbarrier_arrive(sem::Release, scope::Cta, space::SharedCta, empty) };
        consumer.at.advance::<STAGES>();
        consumer
    }
}
