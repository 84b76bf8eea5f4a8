//! [`Pipeline`] (`cuda::pipeline`): its memory, and `run`.

use core::marker::PhantomData;

use super::consumers_barrier::ConsumersBarrier;
use super::layout::Layout;
use super::parts::{Consumer, CtaSignals, FullStage, Producer, StageSignals, WARP};
use super::rounds::Rounds;
use super::stage::{Sharing, SharingIn, StageSource, StageTiles};
use crate::cluster::Cluster;
use crate::group::Brand;
use crate::group::{Cta, End, HandOver, Passed, Warps};
use crate::mark::{Group, Split, hold, meet};
use crate::qualifier::Sealed;
use crate::shared::{Ended, Lendable, Place, Scoped};

/// The shared memory of a [`Pipeline`] of `STAGES` stages, declared as a field of [`shared_memory!`](crate::shared_memory). A
/// stage holds `S`: a tile `[T; N]` of `N` elements, or a pair such as `([f32; 512], [f32; 256])`, whose halves can be pairs too.
/// Each stage has two mbarriers. With a [`BarrierPair`](super::BarrierPair) for `Signals` there is one stage, without mbarriers.
#[derive(Debug)]
#[doc(alias = "cuda::pipeline_shared_state")]
pub struct PipelineMemory<S, const STAGES: usize, Signals = ()> {
    addr: u32,
    _tiles: PhantomData<(*mut S, Signals)>,
}

// SAFETY: the stages and their mbarriers take `Layout::BYTES` bytes from `addr` on. `Signals::BARRIERS` are the barriers of the
// signals.
unsafe impl<S: StageTiles, const STAGES: usize, Signals: CtaSignals> Place
    for PipelineMemory<S, STAGES, Signals>
{
    const SIZE: u32 = Layout::<S, STAGES, Signals>::BYTES;
    const ALIGN: u32 = S::ALIGN;
    const BARRIERS: u16 = Signals::BARRIERS;

    #[inline(always)]
    unsafe fn at(addr: u32) -> Self {
        PipelineMemory { addr, _tiles: PhantomData }
    }
}

// SAFETY: a `Pipeline` has no copy in flight and no valid mbarrier, and `open` makes one `Pipeline` per scope.
unsafe impl<S: StageTiles, const STAGES: usize, Signals: CtaSignals> Scoped
    for PipelineMemory<S, STAGES, Signals>
{
    type InScope<'s> = Pipeline<'s, S, STAGES, Signals>;
    type Ended<'s> = Ended<'s, Self>;
    const USED_BY_PEERS: bool = false;
    #[inline(always)]
    unsafe fn open<'s>(self) -> Self::InScope<'s> {
        Pipeline { addr: self.addr, signals: Signals::NEW, _scope: PhantomData, _tiles: PhantomData }
    }
    #[inline(always)]
    unsafe fn give_back(lent: Self::InScope<'_>) -> Self {
        PipelineMemory { addr: lent.addr, _tiles: PhantomData }
    }
}

// SAFETY: the memory is at rest, and a run of its pipeline initializes the mbarriers.
unsafe impl<S: StageTiles, const STAGES: usize, Signals: CtaSignals> Lendable
    for PipelineMemory<S, STAGES, Signals>
{
}

/// A producer-consumer pipeline over stages of shared memory, with no copy in flight (CUDA's `cuda::pipeline`, with separate
/// producer and consumer threads). `Signals` selects the signals between the parts: mbarriers of this CTA (`()`), named barriers
/// ([`BarrierPair`](super::BarrierPair)), or mbarriers of the CTAs that share tiles ([`multicast`](Pipeline::multicast)).
///
/// ```
/// use ptx::{global::Tiles, group::Cta, pipeline::PipelineMemory};
/// ptx::shared_memory! { struct Smem { memory: PipelineMemory<[f32; 1024], 4> } }
/// # fn kernel(cta: Cta, smem: Smem, tiles: Tiles<f32, 1024>) {
/// let mine = tiles.of_cta(&cta);
/// let mut sum = 0.0;
/// cta.finish(smem.memory, |cta, pipeline| {
///     let run = pipeline.run(
///         cta,
///         |thread, mut producer| {
///             for tile in mine.clone() {
///                 producer = producer.load(thread, tile);
///             }
///             producer
///         },
///         |warps, mut consumer| {
///             for _ in mine.clone() {
///                 let tile = consumer.wait(warps);
///                 sum += tile.get(warps.thread_rank() as usize).unwrap_or(0.0);
///                 consumer = tile.release(warps);
///             }
///             consumer
///         },
///     );
///     run.end()
/// });
/// # }
/// ```
///
/// [`run_tiles`](Pipeline::run_tiles), [`run_keyed_tiles`](Pipeline::run_keyed_tiles) and
/// [`run_tiles_with`](Pipeline::run_tiles_with) make both loops for you.
#[must_use = "the body of the scope must return this handle"]
#[derive(Debug)]
#[doc(alias = "cuda::pipeline")]
pub struct Pipeline<'s, S, const STAGES: usize, Signals = ()> {
    pub(super) addr: u32,
    pub(super) signals: Signals,
    _scope: Brand<'s>,
    _tiles: PhantomData<*mut S>,
}

pub(super) type RunEnded<'s, S, const STAGES: usize, Signals> =
    Ended<'s, PipelineMemory<S, STAGES, <Signals as StageSignals>::Own>>;

/// A [`Pipeline`] after this thread's part of a run: the producers' copies have arrived. Other threads may still be in the run,
/// and the mbarriers are valid. [`end`](FinishedRun::end) it at the end of the kernel, or [`join`](FinishedRun::join) the threads
/// to use the pipeline again.
#[must_use = "the scope needs the pipeline: call `.end()`, or `.join(cta)` to use the pipeline again"]
#[derive(Debug)]
pub struct FinishedRun<'s, S, const STAGES: usize, Signals = ()> {
    addr: u32,
    _scope: Brand<'s>,
    _tiles: PhantomData<(*mut S, Signals)>,
}

/// A [`FinishedRun`] whose consumers held handles `H` and the barrier `B` ([`Pipeline::run_tiles_with`], [`Pipeline::run_with`]).
#[must_use = "the scope needs the pipeline and the handles: call `.end()`, or `.join(cta)` to use them again"]
#[derive(Debug)]
pub struct FinishedRunWith<'s, S, const STAGES: usize, Signals, H, B> {
    run: FinishedRun<'s, S, STAGES, Signals>,
    handles: H,
    barrier: B,
}

/// Who runs a pipeline with these signals: a CTA for itself, or the cluster of the scope `'s` whose CTAs share tiles.
///
/// # Safety
///
/// Implemented here only: `sync` is a barrier of all threads that use the signals.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot run a pipeline with the signals `{Signals}`",
    label = "not the group that owns the tiles",
    note = "a `Cta` runs a pipeline of its own tiles: `pipeline.run(cta, …)`; the `Cluster` of the scope runs a pipeline of shared tiles: `pipeline.multicast(peers).run(cluster, …)`"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait RunsPipeline<'s, Signals>: Group + Sealed {
    #[doc(hidden)]
    fn cta(&self) -> &Cta;
    #[doc(hidden)]
    #[track_caller]
    fn sync(&self);
}
// SAFETY: the signals stay within one CTA (`CtaSignals`), and `sync` is a barrier of all the CTA's threads.
#[diagnostic::do_not_recommend]
unsafe impl<Signals: CtaSignals> RunsPipeline<'_, Signals> for Cta {
    #[inline(always)]
    fn cta(&self) -> &Cta {
        self
    }
    #[inline(always)]
    fn sync(&self) {
        Cta::sync(self);
    }
}
// SAFETY: the CTAs of `G` belong to this cluster (`SharingIn<'s>`), and `sync` is a barrier of all the cluster's threads.
#[diagnostic::do_not_recommend]
unsafe impl<'s, G: SharingIn<'s>> RunsPipeline<'s, G> for Cluster<'s> {
    #[inline(always)]
    fn cta(&self) -> &Cta {
        Cluster::cta(self)
    }
    #[inline(always)]
    fn sync(&self) {
        Cluster::sync(self);
    }
}

impl<'s, S: StageTiles, const STAGES: usize> Pipeline<'s, S, STAGES> {
    /// Shares the tiles of this pipeline among CTAs of the cluster (TMA multicast), so that global memory is read once for all of
    /// them.
    ///
    /// Each tile is cut into `CTAS` equal parts. The peer of rank r loads part r and multicasts it to all
    /// peers. A stage is full when all parts have arrived, and is loaded again after the consumers of all these CTAs have
    /// released it. For a stage of two tiles, `peers` can be a pair: `(row, column)`, or `(row, ())` if the CTA does not share
    /// the second tile.
    ///
    /// The cluster runs the pipeline. All peers must load equally many tiles, and their consumers must wait for
    /// equally many: otherwise the CTAs wait forever.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{cluster::Cluster, global::GlobalTile, pipeline::Pipeline};
    /// # type Pipe<'c> = Pipeline<'c, [f32; 1024], 4>;
    /// # fn body<'c>(cluster: &mut Cluster<'c>, pipeline: Pipe<'c>, tile: GlobalTile<f32, 1024>) -> Pipe<'c> {
    /// let Some(pair) = cluster.whole::<2>() else { return pipeline };
    /// let run = pipeline.multicast(pair).run(
    ///     cluster,
    ///     |thread, producer| producer.load(thread, tile), // the first or the second half, into both CTAs
    ///     |warps, consumer| consumer.wait(warps).release(warps), // waits for both halves
    /// );
    /// run.join(cluster)
    /// # }
    /// ```
    #[inline(always)]
    #[doc(alias = "SM90_TMA_LOAD_MULTICAST")]
    pub fn multicast<G: SharingIn<'s>>(self, peers: G) -> Pipeline<'s, S, STAGES, G> {
        const {
            assert!(G::CTAS > 0, "no tile is shared: call `pipeline.run` without `multicast`");
            assert!(
                G::CTAS <= 32,
                "a consumer warp signals at most 32 CTAs, one per lane: choose fewer tiles, or fewer peers"
            );
        }
        peers.hold();
        Pipeline { addr: self.addr, signals: peers, _scope: PhantomData, _tiles: PhantomData }
    }
}

impl<'s, S: StageTiles, const STAGES: usize, G: Sharing> Pipeline<'s, S, STAGES, G> {
    /// Runs the pipeline over tiles, as [`run`](Pipeline::run) does: the producer loads each source of `tiles` into a stage, and the
    /// consumers call `each` on each full stage. The sources of both loops are one iterator and its clone, so they make the same
    /// number of rounds.
    ///
    /// For a stage of one tile, `tiles` can be [`Tiles::of_cta`](crate::global::Tiles::of_cta); for a stage of two tiles it gives
    /// pairs, as `a.zip(b)` does.
    ///
    /// Collective in the CTA or the cluster that runs it.
    ///
    /// PTX: as [`run`](Pipeline::run), [`Producer::load`], [`Consumer::wait`] and [`FullStage::release`].
    ///
    /// ```
    /// use ptx::{global::Tiles, group::Cta, pipeline::PipelineMemory};
    /// ptx::shared_memory! { struct Smem { memory: PipelineMemory<[f32; 1024], 4> } }
    /// # fn kernel(cta: Cta, smem: Smem, tiles: Tiles<f32, 1024>) {
    /// let mut sum = 0.0;
    /// cta.finish(smem.memory, |cta, pipeline| {
    ///     let mine = tiles.of_cta(cta);
    ///     let run = pipeline.run_tiles(cta, mine, |warps, tile| {
    ///         sum += tile.get(warps.thread_rank() as usize).unwrap_or(0.0);
    ///     });
    ///     run.end()
    /// });
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn run_tiles<By: RunsPipeline<'s, G>, Src: StageSource<S, G>>(
        self,
        by: &mut By,
        tiles: impl Iterator<Item = Src> + Clone,
        mut each: impl for<'p> FnMut(&Warps<'p>, &FullStage<'p, S, STAGES, G>),
    ) -> FinishedRun<'s, S, STAGES, G> {
        self.run_keyed_tiles(by, tiles.map(|tile| ((), tile)), |warps, (), tile| each(warps, tile))
    }

    /// Runs the pipeline over tiles, as [`run_tiles`](Pipeline::run_tiles) does, with a key for each tile, which tells the consumers
    /// what the stage is for: its place in a matrix, or whether it is the last of a row. `keyed` gives pairs of a key and a source.
    ///
    /// Collective in the CTA or the cluster that runs it.
    ///
    /// PTX: as [`run_tiles`](Pipeline::run_tiles).
    ///
    /// ```
    /// use ptx::{group::Cta, pipeline::PipelineMemory, tensor::{Box2, TensorMap}};
    /// ptx::shared_memory! { struct Smem { memory: PipelineMemory<[f32; 1024], 4> } }
    /// # fn kernel(cta: Cta, smem: Smem, map: TensorMap<f32, Box2<32, 32>>, columns: i32) {
    /// let mut sum = 0.0;
    /// cta.finish(smem.memory, |cta, pipeline| {
    ///     let row = cta.grid_rank() as i32;
    ///     let boxes = (0..columns).map(|column| (column, map.box_at([column, row])));
    ///     let run = pipeline.run_keyed_tiles(cta, boxes, |warps, column, tile| {
    ///         sum += column as f32 * tile.get(warps.thread_rank() as usize).unwrap_or(0.0);
    ///     });
    ///     run.end()
    /// });
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn run_keyed_tiles<By: RunsPipeline<'s, G>, Key, Src: StageSource<S, G>>(
        self,
        by: &mut By,
        keyed: impl Iterator<Item = (Key, Src)> + Clone,
        mut each: impl for<'p> FnMut(&Warps<'p>, Key, &FullStage<'p, S, STAGES, G>),
    ) -> FinishedRun<'s, S, STAGES, G> {
        let sources = keyed.clone().map(|(_, source)| source);
        self.run(
            by,
            |thread, producer| producer.load_each(thread, sources),
            |warps, mut consumer| {
                for (key, _) in keyed {
                    // A closure has no place of its caller that a check of these calls could name: marks alone.
                    meet(&warps.warp());
                    let stage = consumer.full();
                    each(warps, key, &stage);
                    meet(&warps.warp());
                    consumer = stage.empty(warps);
                }
                consumer
            },
        )
    }

    /// Runs the pipeline over tiles, as [`run_tiles`](Pipeline::run_tiles) does, and lends handles and a barrier to the consumers, as
    /// [`run_with`](Pipeline::run_with) does: they can fill shared memory together and store it.
    ///
    /// The consumers call `consume` once, with their [`Rounds`], which call a closure on each full stage and on what the round before
    /// has left.
    ///
    /// Collective in the CTA or the cluster that runs it.
    ///
    /// PTX: as [`run_with`](Pipeline::run_with), [`Producer::load`] and [`Rounds::run`].
    ///
    /// ```
    /// use ptx::{bulk, global::{Tiles, TilesMut}, group::{AfterSync, Cta}, shared::SharedArray, trap};
    /// use ptx::pipeline::{ConsumersBarrier, PipelineMemory};
    /// ptx::shared_memory! {
    ///     struct Smem { memory: PipelineMemory<[f32; 1024], 4>, out: SharedArray<f32, 1024>, consumers: ConsumersBarrier<1> }
    /// }
    /// /// Doubles tiles: the first thread loads, the warps after the first compute and store.
    /// fn double(cta: Cta, smem: Smem, from: Tiles<f32, 1024>, mut to: TilesMut<f32, 1024>) {
    ///     let Smem { memory, out, consumers } = smem;
    ///     cta.finish((memory, out), |cta, (pipeline, out)| {
    ///         let from = from.of_cta(cta);
    ///         let run = pipeline.run_tiles_with(cta, consumers, out, from, |warps, rounds, out| {
    ///             let (consumer, stored) = rounds.run(warps, AfterSync::ready(out), |tile, stored| {
    ///                 let Some((_, to)) = to.next_tile() else { trap() };
    ///                 let stores = stored.sync(warps).vector_stores();
    ///                 let mut i = warps.thread_rank() as usize;
    ///                 while let Some(vector) = tile.get_vector(i) {
    ///                     stores.set_vector(i, vector.map(|x| 2.0 * x));
    ///                     i += warps.thread_count() as usize;
    ///                 }
    ///                 let consumer = tile.release(warps);
    ///                 let filled = stores.to_async().sync(warps);
    ///                 (consumer, bulk::store(warps, filled, to).commit(warps).wait_read(warps))
    ///             });
    ///             (consumer, stored.end())
    ///         });
    ///         run.end()
    ///     });
    /// }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn run_tiles_with<
        By: RunsPipeline<'s, G>,
        H: HandOver<Cta>,
        Src: StageSource<S, G>,
        Tiles: Iterator<Item = Src> + Clone,
        const ID: u32,
    >(
        self,
        by: &mut By,
        barrier: ConsumersBarrier<ID>,
        handles: H,
        tiles: Tiles,
        consume: impl for<'p> FnOnce(
            &Warps<'p, ConsumersBarrier<ID>>,
            Rounds<'p, S, STAGES, G, Tiles>,
            H::HeldBy<Warps<'p, ConsumersBarrier<ID>>>,
        )
            -> (Consumer<'p, S, STAGES, G>, H::EndedBy<Warps<'p, ConsumersBarrier<ID>>>),
    ) -> FinishedRunWith<'s, S, STAGES, G, H, ConsumersBarrier<ID>> {
        let sources = tiles.clone();
        self.run_with(
            by,
            barrier,
            handles,
            |thread, producer| producer.load_each(thread, sources),
            |warps, consumer, held| consume(warps, Rounds { consumer, tiles }, held),
        )
    }
}

impl<'s, S: StageTiles, const STAGES: usize, Signals: StageSignals> Pipeline<'s, S, STAGES, Signals> {
    /// Runs the pipeline: the producer threads fill stages in `produce`, while the consumer threads read stages in `consume`; the
    /// other threads wait. The first thread of the CTA produces, and all warps after the first consume. With a
    /// [`BarrierPair`](super::BarrierPair), the first `PRODUCERS` threads produce and the next `CONSUMERS` threads consume.
    ///
    /// Each closure gets the group of its threads and the handle of its part, and returns the handle. The producers must fill as
    /// many stages as each consumer waits for: a consumer that waits for more waits forever. The run borrows the CTA as `&mut`,
    /// so the closures cannot use it: read values such as `cta.grid_rank()` before the run.
    ///
    /// Each run begins with the initialization of the mbarriers and a barrier, so process many tiles in one run. Threads leave the
    /// run when their part is done: [`FinishedRun`]. Traps unless the CTA has two or more warps, all of them whole; with a
    /// `BarrierPair`, unless the CTA has `PRODUCERS + CONSUMERS` threads or more.
    ///
    /// Collective in the CTA or the cluster that runs it.
    ///
    /// PTX by the leader, a stage: two `mbarrier.init.shared::cta.b64`; `fence.mbarrier_init.release.cluster;`
    /// `fence.proxy.async.shared::cta;`; by every thread `barrier.cta.sync.aligned 0;`; after both closures, by the producer, a
    /// stage: `mbarrier.try_wait.parity.acquire.cta.shared::cta.b64`. With `multicast`: `barrier.cluster.arrive.release.aligned;`
    /// `barrier.cluster.wait.acquire.aligned;` in place of the barrier, and the waits are those of [`Consumer::wait`]. With a
    /// `BarrierPair` no barrier: by each consumer `barrier.cta.arrive.aligned EMPTY, THREADS;` before, by each producer
    /// `barrier.cta.sync.aligned EMPTY, THREADS;` after
    #[inline(always)]
    #[track_caller]
    pub fn run<By: RunsPipeline<'s, Signals>>(
        self,
        by: &mut By,
        produce: impl for<'p> FnOnce(
            &Signals::Producers<'p>,
            Producer<'p, S, STAGES, Signals>,
        ) -> Producer<'p, S, STAGES, Signals>,
        consume: impl for<'p> FnOnce(
            &Warps<'p>,
            Consumer<'p, S, STAGES, Signals>,
        ) -> Consumer<'p, S, STAGES, Signals>,
    ) -> FinishedRun<'s, S, STAGES, Signals> {
        self.parts::<(), false>(by, produce, consume);
        self.finished()
    }

    /// Runs the pipeline as [`run`](Pipeline::run) does, and lends handles, for example of shared memory, to the consumers. As in
    /// [`Cta::finish_one`], the threads of the part hold the handles in the closure, which returns them ended.
    ///
    /// The consumers become a group with a barrier of their own, `barrier`, so they can make collective calls on their handles:
    /// fill a tile and store it, for example. With `()` as handles they have the barrier alone.
    ///
    /// Collective in the CTA or the cluster that runs it.
    ///
    /// PTX: as [`run`](Pipeline::run); with a `BarrierPair`, by every thread `barrier.cta.sync.aligned 0;` before.
    ///
    /// ```
    /// use ptx::{bulk, global::{Tiles, TilesMut}, group::Cta, pipeline::{ConsumersBarrier, PipelineMemory}, trap};
    /// ptx::shared_memory! { struct Smem { memory: PipelineMemory<[f32; 1024], 4>, consumers: ConsumersBarrier<1> } }
    /// /// Copies tiles: the first thread loads, and the leader of the consumers stores from the stages themselves.
    /// fn copy(cta: Cta, Smem { memory, consumers }: Smem, from: Tiles<f32, 1024>, mut to: TilesMut<f32, 1024>) {
    ///     cta.finish(memory, |cta, pipeline| {
    ///         let from = from.of_cta(cta);
    ///         let run = pipeline.run_with(
    ///             cta,
    ///             consumers,
    ///             (),
    ///             |thread, mut producer| {
    ///                 for tile in from.clone() {
    ///                     producer = producer.load(thread, tile);
    ///                 }
    ///                 producer
    ///             },
    ///             |warps, mut consumer, ()| {
    ///                 for _ in from.clone() {
    ///                     let Some((_, to)) = to.next_tile() else { trap() };
    ///                     let stage = consumer.wait_async(warps);
    ///                     let stage = bulk::store(warps, stage, to).commit(warps).wait_read(warps).sync(warps);
    ///                     consumer = stage.release(warps);
    ///                 }
    ///                 (consumer, ())
    ///             },
    ///         );
    ///         let (pipeline, ()) = run.end();
    ///         pipeline
    ///     });
    /// }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn run_with<By: RunsPipeline<'s, Signals>, H: HandOver<Cta>, const ID: u32>(
        self,
        by: &mut By,
        barrier: ConsumersBarrier<ID>,
        handles: H,
        produce: impl for<'p> FnOnce(
            &Signals::Producers<'p>,
            Producer<'p, S, STAGES, Signals>,
        ) -> Producer<'p, S, STAGES, Signals>,
        consume: impl for<'p> FnOnce(
            &Warps<'p, ConsumersBarrier<ID>>,
            Consumer<'p, S, STAGES, Signals>,
            H::HeldBy<Warps<'p, ConsumersBarrier<ID>>>,
        ) -> (
            Consumer<'p, S, STAGES, Signals>,
            H::EndedBy<Warps<'p, ConsumersBarrier<ID>>>,
        ),
    ) -> FinishedRunWith<'s, S, STAGES, Signals, H, ConsumersBarrier<ID>> {
        self.parts::<_, true>(
            by,
            produce,
            // SAFETY: only the consumers use these handles. `'p` belongs to this call alone, so the closure has ended the handles
            // that it got. The CTA uses its own after a barrier (`join`), or ends them.
            |warps, consumer| consume(warps, consumer, unsafe { handles.hand_over() }).0,
        );
        FinishedRunWith { run: self.finished(), handles, barrier }
    }

    #[inline(always)]
    pub(super) fn finished(self) -> FinishedRun<'s, S, STAGES, Signals> {
        FinishedRun { addr: self.addr, _scope: PhantomData, _tiles: PhantomData }
    }

    /// The run without its end: initializes the mbarriers, runs both parts, and lets the producers wait for their operations in
    /// flight. `LENDS` says whether the consumers get handles and the barrier `B`.
    #[inline(always)]
    #[track_caller]
    fn parts<B, const LENDS: bool>(
        &self,
        by: &impl RunsPipeline<'s, Signals>,
        produce: impl for<'p> FnOnce(
            &Signals::Producers<'p>,
            Producer<'p, S, STAGES, Signals>,
        ) -> Producer<'p, S, STAGES, Signals>,
        consume: impl for<'p> FnOnce(
            &Warps<'p, B>,
            Consumer<'p, S, STAGES, Signals>,
        ) -> Consumer<'p, S, STAGES, Signals>,
    ) {
        meet!(by, by.cta(); self.addr);
        const {
            Layout::<S, STAGES, Signals>::check();
            assert!(
                Signals::MBARRIERS > 0 || STAGES == 1,
                "a `BarrierPair` signals one stage: choose `STAGES` of 1"
            );
        }
        let (rank, threads) = (by.cta().thread_rank(), by.cta().thread_count());
        Signals::check(threads);
        let consumers = Signals::CONSUMERS.unwrap_or(threads - Signals::FIRST_CONSUMER);
        let releases = Signals::RELEASES * (threads / WARP - 1);
        if Signals::MBARRIERS > 0 && rank == 0 {
            // SAFETY: this pipeline owns the memory, which is idle and holds no valid mbarrier. A cluster has fewer than 2^20
            // threads, so `releases` is in range.
            unsafe { Layout::<S, STAGES, Signals>::init(self.addr, releases) };
        }
        // After this barrier the mbarriers are initialized, and no thread is in an earlier call of `barrier` or uses the
        // consumers' handles.
        if const { Signals::MBARRIERS > 0 || LENDS } {
            by.sync();
        }
        // SAFETY: each thread makes its group and its handle once, and `'p` belongs to the call of its closure alone. Consumers
        // are whole warps (`Signals::check`), and only this run uses the barrier `B`. The mbarriers are valid until `join`, after a
        // barrier of all threads that use them, or until the kernel ends.
        unsafe {
            let split = Split::new();
            if split.role(Signals::produces(rank)) {
                let producer = Producer::new(self.addr, self.signals);
                split.part::<Signals::Producers<'_>, _>(|| {
                    produce(&Signals::producers(rank), producer).drain()
                });
            } else if split.role(
                rank >= Signals::FIRST_CONSUMER
                    && Signals::CONSUMERS.is_none_or(|count| rank < Signals::FIRST_CONSUMER + count),
            ) {
                self.signals.begin_consuming();
                let warps = Warps::of_part(rank - Signals::FIRST_CONSUMER, consumers);
                let _done =
                    split.part::<Warps<'_>, _>(|| consume(&warps, Consumer::new(self.addr, self.signals)));
            }
        }
    }
}

impl<'s, S: StageTiles, const STAGES: usize, Signals: StageSignals> FinishedRun<'s, S, STAGES, Signals> {
    /// Gives the pipeline up at the end of the kernel ([`Cta::finish`], [`Cta::finish_cluster`]): consumers that are done do not
    /// wait for other threads, and the mbarriers stay valid. With [`multicast`](Pipeline::multicast), the barrier that ends the
    /// scope is the only one after the run.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn end(self) -> RunEnded<'s, S, STAGES, Signals> {
        // The producers' copies have arrived (`drain`).
        Ended::new()
    }

    /// Waits for all threads that took part in the run and invalidates the mbarriers, so that the pipeline can run again, or be
    /// returned from [`Cta::async_scope`].
    ///
    /// Collective in the CTA or the cluster that runs it.
    ///
    /// PTX: `barrier.cta.sync.aligned 0;`, by the leader, a stage: two `mbarrier.inval.shared::cta.b64`; by every thread
    /// `barrier.cta.sync.aligned 0;`. With `multicast`: `barrier.cluster.arrive.release.aligned;`
    /// `barrier.cluster.wait.acquire.aligned;` in place of the first barrier. With a `BarrierPair`: the first barrier alone
    #[inline(always)]
    #[track_caller]
    pub fn join(self, by: &impl RunsPipeline<'s, Signals>) -> Pipeline<'s, S, STAGES, Signals::Own> {
        hold::<Cta>(self.addr);
        by.sync();
        if Signals::MBARRIERS > 0 {
            if by.cta().thread_rank() == 0 {
                // SAFETY: the mbarriers are valid, and after the barrier above no thread or copy uses them.
                unsafe {
                    Layout::<S, STAGES, Signals>::inval(Layout::<S, STAGES, Signals>::full(self.addr, 0))
                };
            }
            by.cta().sync();
        }
        Pipeline { addr: self.addr, signals: Signals::Own::NEW, _scope: PhantomData, _tiles: PhantomData }
    }
}

impl<'s, S: StageTiles, const STAGES: usize, Signals: StageSignals, H: HandOver<Cta>, B>
    FinishedRunWith<'s, S, STAGES, Signals, H, B>
{
    /// Gives the pipeline and the consumers' handles up at the end of the kernel, as [`FinishedRun::end`] does.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn end(self) -> (RunEnded<'s, S, STAGES, Signals>, H::Ended)
    where
        H: End,
    {
        (self.run.end(), self.handles.end())
    }

    /// Waits as [`FinishedRun::join`] does, and returns the pipeline, the consumers' handles and their barrier. Shared memory comes
    /// back as [`FreeGeneric`](crate::shared::FreeGeneric); the memory of an mbarrier does not.
    ///
    /// Collective in the CTA or the cluster that runs it.
    ///
    /// PTX: as [`FinishedRun::join`].
    #[inline(always)]
    #[track_caller]
    pub fn join(
        self,
        by: &impl RunsPipeline<'s, Signals>,
    ) -> (Pipeline<'s, S, STAGES, Signals::Own>, H::Joined, B) {
        let pipeline = self.run.join(by);
        (pipeline, self.handles.joined(Passed::NEW), self.barrier)
    }
}

handles! {
    PipelineMemory<[u32; 4], 2>, Pipeline<[u32; 4], 2>, FinishedRun<[u32; 4], 2>,
    FinishedRunWith<[u32; 4], 2, (), (), ()>,
}
