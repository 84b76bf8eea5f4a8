//! [`Pipeline`] (`cuda::pipeline`): its memory, and `run`.

use core::marker::PhantomData;

use super::layout::Layout;
use super::parts::{Consumer, CtaSignals, Producer, StageSignals, WARP};
use super::stage::{SharingIn, StageTiles};
use crate::barrier::NamedBarrier;
use crate::cluster::Cluster;
use crate::group::Brand;
use crate::group::{Cta, End, HandOver, PartBarrier, Warps};
use crate::qualifier::Sealed;
use crate::shared::{ALIGN, Ended, Place, Scoped};
use crate::trap::trap_because;

/// The shared memory of a [`Pipeline`] of `STAGES` stages, declared as a field of [`shared_memory!`](crate::shared_memory). A
/// stage holds `S`: a tile `[T; N]` of `N` elements, or a pair such as `([f32; 512], [f32; 256])`, whose halves can be pairs too.
/// Each stage has two mbarriers. With a [`BarrierPair`](super::BarrierPair) for `V` there is one stage, without mbarriers.
#[derive(Debug)]
pub struct PipelineMemory<S, const STAGES: usize, V = ()> {
    addr: u32,
    _tiles: PhantomData<(*mut S, V)>,
}

// SAFETY: the stages and their mbarriers take `Layout::BYTES` bytes from `addr` on. `V::BARRIERS` are the barriers of the
// signals.
unsafe impl<S: StageTiles, const STAGES: usize, V: CtaSignals> Place for PipelineMemory<S, STAGES, V> {
    const SIZE: u32 = Layout::<S, STAGES, V>::BYTES;
    const ALIGN: u32 = ALIGN;
    const BARRIERS: u16 = V::BARRIERS;

    #[inline(always)]
    unsafe fn at(addr: u32) -> Self {
        PipelineMemory { addr, _tiles: PhantomData }
    }
}

// SAFETY: a `Pipeline` has no copy in flight and no valid mbarrier, and `open` makes one `Pipeline` per scope.
unsafe impl<S: StageTiles, const STAGES: usize, V: CtaSignals> Scoped for PipelineMemory<S, STAGES, V> {
    type InScope<'s> = Pipeline<'s, S, STAGES, V>;
    type Ended<'s> = Ended<'s, Self>;
    const USED_BY_PEERS: bool = false;
    #[inline(always)]
    unsafe fn open<'s>(self) -> Self::InScope<'s> {
        Pipeline { addr: self.addr, signals: V::NEW, _scope: PhantomData, _tiles: PhantomData }
    }
    #[inline(always)]
    unsafe fn give_back(lent: Self::InScope<'_>) -> Self {
        PipelineMemory { addr: lent.addr, _tiles: PhantomData }
    }
}

/// A producer-consumer pipeline over stages of shared memory, with no copy in flight (CUDA's `cuda::pipeline`, with separate
/// producer and consumer threads). `V` selects the signals between the parts: mbarriers of this CTA (`()`), named barriers
/// ([`BarrierPair`](super::BarrierPair)), or mbarriers of the CTAs that share tiles ([`multicast`](Pipeline::multicast)).
///
/// ```
/// use ptx::{global::Tiles, launch::Cta, pipeline::PipelineMemory};
/// ptx::shared_memory! { struct Smem { memory: PipelineMemory<[f32; 1024], 4> } }
/// # fn kernel(cta: &mut Cta, smem: Smem, tiles: Tiles<f32, 1024>) {
/// // A grid-stride loop over tiles: `mine` is the number of this CTA's tiles.
/// let (mut next, step) = (cta.grid_rank() as usize, cta.grid_size() as usize);
/// let mine = tiles.count().saturating_sub(next).div_ceil(step);
/// let mut sum = 0.0;
/// cta.async_scope(smem.memory, |cta, pipeline| {
///     pipeline.run(
///         cta,
///         |thread, mut producer| {
///             while let Some(tile) = tiles.get(next) {
///                 producer = producer.load(thread, tile);
///                 next += step;
///             }
///             producer
///         },
///         |warps, mut consumer| {
///             for _ in 0..mine {
///                 let tile = consumer.wait(warps);
///                 sum += tile.get(warps.thread_rank() as usize).unwrap_or(0.0);
///                 consumer = tile.release(warps);
///             }
///             consumer
///         },
///     )
/// });
/// # }
/// ```
#[must_use = "the body of the scope must return this handle"]
#[derive(Debug)]
pub struct Pipeline<'s, S, const STAGES: usize, V = ()> {
    addr: u32,
    signals: V,
    _scope: Brand<'s>,
    _tiles: PhantomData<*mut S>,
}

type RunEnded<'s, S, const STAGES: usize, V> = Ended<'s, PipelineMemory<S, STAGES, <V as StageSignals>::Own>>;

/// Who runs a pipeline with the signals `V`: a CTA for itself, or the cluster of the scope `'s` whose CTAs share tiles.
///
/// # Safety
///
/// Implemented here only: `sync` is a barrier of all threads that use the signals.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot run a pipeline with the signals `{V}`",
    label = "not the group that owns the tiles",
    note = "a `Cta` runs a pipeline of its own tiles: `pipeline.run(cta, …)`; the `Cluster` of the scope runs a pipeline of shared tiles: `pipeline.multicast(group).run(cluster, …)`"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait PipelineGroup<'s, V>: Sealed {
    #[doc(hidden)]
    fn cta(&self) -> &Cta;
    #[doc(hidden)]
    #[track_caller]
    fn sync(&self);
}
// SAFETY: `V` stays within one CTA (`CtaSignals`), and `sync` is a barrier of all the CTA's threads.
#[diagnostic::do_not_recommend]
unsafe impl<V: CtaSignals> PipelineGroup<'_, V> for Cta {
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
unsafe impl<'s, G: SharingIn<'s>> PipelineGroup<'s, G> for Cluster<'s> {
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
    /// Each tile is cut into `CTAS` equal parts. The CTA of rank r in the group loads part r and multicasts it to all CTAs of the
    /// group. A stage is full when all parts have arrived, and is loaded again after the consumers of all these CTAs have
    /// released it. For a stage of two tiles, `group` can be a pair: `(row, column)`, or `(row, ())` if the CTA does not share
    /// the second tile.
    ///
    /// The cluster runs the pipeline. All CTAs of the group must load equally many tiles, and their consumers must wait for
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
    /// pipeline.multicast(pair).run(
    ///     cluster,
    ///     |thread, producer| producer.load(thread, tile), // the first or the second half, into both CTAs
    ///     |warps, consumer| consumer.wait(warps).release(warps), // waits for both halves
    /// )
    /// # }
    /// ```
    #[inline(always)]
    pub fn multicast<G: SharingIn<'s>>(self, group: G) -> Pipeline<'s, S, STAGES, G> {
        const {
            assert!(G::CTAS > 0, "no tile is shared: call `pipeline.run` without `multicast`");
            assert!(
                G::CTAS <= 32,
                "a consumer warp signals at most 32 CTAs, one per lane: choose fewer tiles, or smaller groups"
            );
        }
        Pipeline { addr: self.addr, signals: group, _scope: PhantomData, _tiles: PhantomData }
    }
}

impl<'s, S: StageTiles, const STAGES: usize, V: StageSignals> Pipeline<'s, S, STAGES, V> {
    /// Runs the pipeline: the producer threads fill stages in `produce`, while the consumer threads read stages in `consume`; the
    /// other threads wait. The first thread of the CTA produces, and all warps after the first consume. With a
    /// [`BarrierPair`](super::BarrierPair), the first `PRODUCERS` threads produce and the next `CONSUMERS` threads consume.
    ///
    /// Each closure gets the group of its threads and the handle of its part, and returns the handle. The producers must fill as
    /// many stages as each consumer waits for: a consumer that waits for more waits forever. The run borrows the CTA as `&mut`,
    /// so the closures cannot use it: read values such as `cta.grid_rank()` before the run.
    ///
    /// Each run begins with the initialization of the mbarriers and a barrier, and ends with a barrier and their invalidation, so
    /// process many tiles in one run. Traps unless the CTA has two or more warps, all of them whole; with a `BarrierPair`, unless
    /// the CTA has `PRODUCERS + CONSUMERS` threads or more.
    ///
    /// Collective in the CTA or the cluster that runs it.
    ///
    /// PTX by the leader, a stage: two `mbarrier.init.shared::cta.b64`; `fence.mbarrier_init.release.cluster;`
    /// `fence.proxy.async.shared::cta;`; by every thread `barrier.cta.sync.aligned 0;`; after both closures, by the producer, a
    /// stage: `mbarrier.try_wait.parity.acquire.cta.shared::cta.b64`; by every thread `barrier.cta.sync.aligned 0;`; by the
    /// leader, a stage: two `mbarrier.inval.shared::cta.b64`; by every thread `barrier.cta.sync.aligned 0;`. With `multicast`:
    /// `barrier.cluster.arrive.release.aligned;` `barrier.cluster.wait.acquire.aligned;` in place of the first two barriers, and
    /// the waits are those of [`Consumer::wait`]. With a `BarrierPair`: by each consumer `barrier.cta.arrive.aligned EMPTY, THREADS;`
    /// before, by each producer `barrier.cta.sync.aligned EMPTY, THREADS;` after; by every thread `barrier.cta.sync.aligned 0;`
    #[inline(always)]
    #[track_caller]
    pub fn run<By: PipelineGroup<'s, V>>(
        self,
        by: &mut By,
        produce: impl for<'p> FnOnce(&V::Producers<'p>, Producer<'p, S, STAGES, V>) -> Producer<'p, S, STAGES, V>,
        consume: impl for<'p> FnOnce(&Warps<'p>, Consumer<'p, S, STAGES, V>) -> Consumer<'p, S, STAGES, V>,
    ) -> Pipeline<'s, S, STAGES, V::Own> {
        self.parts::<()>(by, produce, consume);
        self.reset(by)
    }

    /// Runs the pipeline as [`run`](Pipeline::run) does, in the last scope of the kernel ([`Cta::async_scope_last`],
    /// [`Cta::cluster_scope_last`]): consumers that are done do not wait for other threads, and the mbarriers stay valid. With
    /// [`multicast`](Pipeline::multicast), the barrier that ends the scope is the only one after the run.
    ///
    /// Collective in the CTA or the cluster that runs it.
    ///
    /// PTX: as [`run`](Pipeline::run), without the two last barriers and the instructions between them; with a `BarrierPair`
    /// without the last barrier
    #[inline(always)]
    #[track_caller]
    pub fn run_last<By: PipelineGroup<'s, V>>(
        self,
        by: &mut By,
        produce: impl for<'p> FnOnce(&V::Producers<'p>, Producer<'p, S, STAGES, V>) -> Producer<'p, S, STAGES, V>,
        consume: impl for<'p> FnOnce(&Warps<'p>, Consumer<'p, S, STAGES, V>) -> Consumer<'p, S, STAGES, V>,
    ) -> RunEnded<'s, S, STAGES, V> {
        // The producers return after their copies have arrived (`drain`).
        self.parts::<()>(by, produce, consume);
        Ended::new()
    }

    /// Runs the pipeline as [`run`](Pipeline::run) does, and lends handles, for example of shared memory, to the producers and to
    /// the consumers. As in [`Cta::invoke_one`], the threads of a part hold the handles in the closure, and the CTA gets the
    /// handles back after the run.
    ///
    /// The consumers become a group with a barrier of their own, `barrier`, so they can make collective calls on their handles:
    /// fill a tile and store it, for example. With `((), ())` as handles they have the barrier alone. The producers of a
    /// [`BarrierPair`](super::BarrierPair) have no barrier and cannot use handles.
    ///
    /// Traps unless `barrier` counts as many threads as consume; with a `BarrierPair`, another count does not compile.
    ///
    /// Collective in the CTA or the cluster that runs it.
    ///
    /// PTX: as [`run`](Pipeline::run); with a `BarrierPair`, by every thread `barrier.cta.sync.aligned 0;` before.
    ///
    /// ```
    /// use ptx::{barrier::NamedBarrier, bulk, global::{Tiles, TilesMut}, launch::Cta};
    /// use ptx::{pipeline::PipelineMemory, shared::SharedArray};
    /// ptx::shared_memory! {
    ///     struct Smem { memory: PipelineMemory<[f32; 1024], 4>, out: SharedArray<f32, 1024>, consumers: NamedBarrier<1, 96> }
    /// }
    /// /// Doubles tiles: the first thread of 128 loads, three warps compute and store.
    /// fn double(cta: &mut Cta, smem: Smem, from: Tiles<f32, 1024>, mut to: TilesMut<f32, 1024>) {
    ///     let Smem { memory, out, mut consumers } = smem;
    ///     let tiles = from.count();
    ///     cta.async_scope((memory, out), |cta, (pipeline, out)| {
    ///         let (pipeline, (), out) = pipeline.run_with(
    ///             cta,
    ///             &mut consumers,
    ///             ((), out),
    ///             |thread, mut producer, ()| {
    ///                 for i in 0..tiles {
    ///                     let Some(tile) = from.get(i) else { break };
    ///                     producer = producer.load(thread, tile);
    ///                 }
    ///                 (producer, ())
    ///             },
    ///             |warps, mut consumer, mut out| {
    ///                 for _ in 0..tiles {
    ///                     let tile = consumer.wait(warps);
    ///                     let stores = out.vector_stores();
    ///                     let mut i = warps.thread_rank() as usize;
    ///                     while let Some(vector) = tile.get_vector(i) {
    ///                         stores.set_vector(i, vector.map(|x| 2.0 * x));
    ///                         i += warps.thread_count() as usize;
    ///                     }
    ///                     let written = stores.to_async(warps);
    ///                     consumer = tile.release(warps);
    ///                     let Some((_, to)) = to.next_tile() else { return (consumer, written.into_free()) };
    ///                     out = bulk::store(warps, written, to).commit(warps).wait_read(warps).0.into_free();
    ///                 }
    ///                 (consumer, out)
    ///             },
    ///         );
    ///         (pipeline, out)
    ///     });
    /// }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn run_with<
        By: PipelineGroup<'s, V>,
        P: HandOver<Cta>,
        C: HandOver<Cta>,
        const ID: u32,
        const THREADS: u32,
    >(
        self,
        by: &mut By,
        _barrier: &mut NamedBarrier<ID, THREADS>,
        (for_producers, for_consumers): (P, C),
        produce: impl for<'p> FnOnce(
            &V::Producers<'p>,
            Producer<'p, S, STAGES, V>,
            P::HeldBy<V::Producers<'p>>,
        ) -> (Producer<'p, S, STAGES, V>, P::HeldBy<V::Producers<'p>>),
        consume: impl for<'p> FnOnce(
            &Warps<'p, NamedBarrier<ID, THREADS>>,
            Consumer<'p, S, STAGES, V>,
            C::HeldBy<Warps<'p, NamedBarrier<ID, THREADS>>>,
        ) -> (
            Consumer<'p, S, STAGES, V>,
            C::HeldBy<Warps<'p, NamedBarrier<ID, THREADS>>>,
        ),
    ) -> (Pipeline<'s, S, STAGES, V::Own>, P, C) {
        self.parts(
            by,
            // SAFETY: only the producers use these handles, and the CTA uses its own again after the barrier of `reset`. `'p`
            // belongs to this call alone, so the closure returns the handles that it got, idle.
            |threads, producer| produce(threads, producer, unsafe { for_producers.hand_over() }).0,
            // SAFETY: only the consumers use these handles, and the CTA uses its own again after the barrier of `reset`.
            |warps, consumer| consume(warps, consumer, unsafe { for_consumers.hand_over() }).0,
        );
        (self.reset(by), for_producers, for_consumers)
    }

    /// Runs the pipeline and lends handles as [`run_with`](Pipeline::run_with) does, in the last scope of the kernel as
    /// [`run_last`](Pipeline::run_last) does. Neither the handles nor the barrier come back, because other warps leave the run
    /// before the consumers. Each closure returns its handles ended, for example by `Shared::end`.
    ///
    /// Collective in the CTA or the cluster that runs it.
    ///
    /// PTX: as [`run_last`](Pipeline::run_last); with a `BarrierPair`, by every thread `barrier.cta.sync.aligned 0;` before.
    #[inline(always)]
    #[track_caller]
    pub fn run_with_last<
        By: PipelineGroup<'s, V>,
        P: HandOver<Cta> + End,
        C: HandOver<Cta> + End,
        const ID: u32,
        const THREADS: u32,
    >(
        self,
        by: &mut By,
        _barrier: NamedBarrier<ID, THREADS>,
        (for_producers, for_consumers): (P, C),
        produce: impl for<'p> FnOnce(
            &V::Producers<'p>,
            Producer<'p, S, STAGES, V>,
            P::HeldBy<V::Producers<'p>>,
        ) -> (Producer<'p, S, STAGES, V>, P::Ended),
        consume: impl for<'p> FnOnce(
            &Warps<'p, NamedBarrier<ID, THREADS>>,
            Consumer<'p, S, STAGES, V>,
            C::HeldBy<Warps<'p, NamedBarrier<ID, THREADS>>>,
        ) -> (Consumer<'p, S, STAGES, V>, C::Ended),
    ) -> (RunEnded<'s, S, STAGES, V>, P::Ended, C::Ended) {
        self.parts(
            by,
            // SAFETY: only the producers use these handles; the CTA ends its own copies below.
            |threads, producer| produce(threads, producer, unsafe { for_producers.hand_over() }).0,
            // SAFETY: only the consumers use these handles; the CTA ends its own copies below.
            |warps, consumer| consume(warps, consumer, unsafe { for_consumers.hand_over() }).0,
        );
        (Ended::new(), for_producers.end(), for_consumers.end())
    }

    /// The run without its end: initializes the mbarriers, runs both parts, and lets the producers wait for their operations in
    /// flight. Traps unless `B` counts as many threads as consume.
    #[inline(always)]
    #[track_caller]
    fn parts<B: PartBarrier>(
        &self,
        by: &impl PipelineGroup<'s, V>,
        produce: impl for<'p> FnOnce(&V::Producers<'p>, Producer<'p, S, STAGES, V>) -> Producer<'p, S, STAGES, V>,
        consume: impl for<'p> FnOnce(&Warps<'p, B>, Consumer<'p, S, STAGES, V>) -> Consumer<'p, S, STAGES, V>,
    ) {
        meet!(by.cta());
        const {
            Layout::<S, STAGES, V>::check();
            assert!(
                V::MBARRIERS > 0 || STAGES == 1,
                "a `BarrierPair` signals one stage: choose `STAGES` of 1"
            );
            if let (Some(of_barrier), Some(consumers)) = (B::THREADS, V::CONSUMERS) {
                assert!(
                    of_barrier == consumers,
                    "the consumers' `NamedBarrier` must count `CONSUMERS` threads, as the `BarrierPair` does"
                );
            }
        }
        let (rank, threads) = (by.cta().thread_rank(), by.cta().thread_count());
        V::check(threads);
        let consumers = V::CONSUMERS.unwrap_or(threads - V::FIRST_CONSUMER);
        if B::THREADS.is_some_and(|of_barrier| of_barrier != consumers) {
            trap_because!("the `NamedBarrier` of the consumers does not count all consumers")
        }
        let releases = V::RELEASES * (threads / WARP - 1);
        if V::MBARRIERS > 0 && rank == 0 {
            // SAFETY: this pipeline owns the memory, which is idle and holds no valid mbarrier. A cluster has fewer than 2^20
            // threads, so `releases` is in range.
            unsafe { Layout::<S, STAGES, V>::init(self.addr, releases) };
        }
        // After this barrier the mbarriers are initialized, and no thread is in an earlier call of `barrier` or uses the
        // consumers' handles.
        if const { V::MBARRIERS > 0 || B::THREADS.is_some() } {
            by.sync();
        }
        // SAFETY: each thread makes its group and its handle once, and `'p` belongs to the call of its closure alone. Consumers
        // are whole warps (`V::check`), as many threads as `B` counts, and only this run uses the barrier. The mbarriers are
        // valid until `reset`, after a barrier of all threads that use them, or until the kernel ends.
        unsafe {
            if V::produces(rank) {
                let producer = Producer::new(self.addr, self.signals);
                produce(&V::producers(rank), producer).drain();
            } else if rank >= V::FIRST_CONSUMER
                && V::CONSUMERS.is_none_or(|count| rank < V::FIRST_CONSUMER + count)
            {
                self.signals.begin_consuming();
                let warps = Warps::of_part(rank - V::FIRST_CONSUMER, consumers);
                let _done = consume(&warps, Consumer::new(self.addr, self.signals));
            }
        }
    }

    /// Invalidates the mbarriers after a barrier of all threads that use them.
    #[inline(always)]
    #[track_caller]
    fn reset(self, by: &impl PipelineGroup<'s, V>) -> Pipeline<'s, S, STAGES, V::Own> {
        by.sync();
        if V::MBARRIERS > 0 {
            if by.cta().thread_rank() == 0 {
                // SAFETY: the mbarriers are valid, and after the barrier above no thread or copy uses them.
                unsafe { Layout::<S, STAGES, V>::inval(Layout::<S, STAGES, V>::full(self.addr, 0)) };
            }
            by.cta().sync();
        }
        Pipeline { addr: self.addr, signals: V::Own::NEW, _scope: PhantomData, _tiles: PhantomData }
    }
}

handles! { PipelineMemory<[u32; 4], 2>, Pipeline<[u32; 4], 2> }
