//! A pipeline, from its memory to its run.

use core::marker::PhantomData;

use super::Invariant;
use super::layout::Layout;
use super::parts::{Consumer, CtaSignals, Producer, StageSignals, WARP};
use super::stage::{SharingIn, StageTiles};
use crate::barrier::NamedBarrier;
use crate::cluster::Cluster;
use crate::group::{Cta, End, HandOver, PartBarrier, Warps};
use crate::qualifier::Sealed;
use crate::shared::{ALIGN, Ended, Place, Scoped};
use crate::trap::trap;

/// Memory for a [`Pipeline`] of `STAGES` stages. Each holds `S`: a tile `[T; N]` of `N` elements, or
/// a pair of tiles, or of pairs. A stage has two mbarriers; with a [`BarrierPair`](super::BarrierPair) for `V` the one stage has none.
///
/// ```
/// # use ptx::{launch::Cta, pipeline::PipelineMemory};
/// // Four stages of 512 words; three of two tiles.
/// ptx::shared_memory! {
///     struct Smem { words: PipelineMemory<[u32; 512], 4>, products: PipelineMemory<([f32; 512], [f32; 256]), 3> }
/// }
/// # fn kernel(cta: &mut Cta, smem: Smem) {
/// let memory = cta.async_scope(smem.words, |cta, pipeline| pipeline);
/// # }
/// ```
#[derive(Debug)]
pub struct PipelineMemory<S, const STAGES: usize, V = ()> {
    addr: u32,
    _tiles: PhantomData<(*mut S, V)>,
}

static_assertions::assert_not_impl_any!(PipelineMemory<[u32; 4], 2>: Copy, Clone, Send, Sync);

// SAFETY: `Layout::BYTES` bytes from `addr` on: the stages, then the mbarriers of each. The barriers are those of the signals.
unsafe impl<S: StageTiles, const STAGES: usize, V: CtaSignals> Place for PipelineMemory<S, STAGES, V> {
    const SIZE: u32 = Layout::<S, STAGES, V>::BYTES;
    const ALIGN: u32 = ALIGN;
    const BARRIERS: u16 = V::BARRIERS;

    #[inline(always)]
    unsafe fn at(addr: u32) -> Self {
        PipelineMemory { addr, _tiles: PhantomData }
    }
}

// SAFETY: a `Pipeline` has no copy in flight and no valid mbarrier, and one scope makes one of them.
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

/// A pipeline with nothing in flight. `V` is how its parts tell each other of its stages: by mbarriers of this CTA (`()`), by named barriers
/// ([`BarrierPair`](super::BarrierPair)), or by mbarriers of the CTAs that have tiles in common ([`multicast`](Pipeline::multicast)).
///
/// ```
/// # use ptx::{global::GlobalTile, launch::Cta, pipeline::{Pipeline, PipelineMemory}};
/// # fn kernel(cta: &mut Cta, memory: PipelineMemory<[f32; 512], 4>, tile: GlobalTile<f32, 512>) {
/// cta.async_scope(memory, |cta, pipeline| {
///     // One tile through it. The thread that loads and those that consume run at the same time.
///     pipeline.run(
///         cta,
///         |thread, producer| producer.load(thread, tile),
///         |warps, consumer| consumer.wait(warps).release(warps),
///     )
/// });
/// # }
/// ```
#[must_use = "the scope has to return this handle: keep it"]
#[derive(Debug)]
pub struct Pipeline<'s, S, const STAGES: usize, V = ()> {
    addr: u32,
    signals: V,
    _scope: Invariant<'s>,
    _tiles: PhantomData<*mut S>,
}

static_assertions::assert_not_impl_any!(Pipeline<'static, [u32; 4], 2>: Copy, Clone, Send, Sync);

type RunEnded<'s, S, const STAGES: usize, V> = Ended<'s, PipelineMemory<S, STAGES, <V as StageSignals>::Own>>;

/// Who runs a pipeline whose signals are `V`: a CTA for itself, or the cluster of the scope `'s` whose CTAs have tiles in common.
///
/// # Safety
///
/// Implemented here only: `sync` is a barrier of all threads that use the signals.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not run a pipeline with the signals `{V}`",
    label = "not who has the tiles",
    note = "a `Cta` runs what it has for itself: `pipeline.run(cta, …)`; the `Cluster` of the scope runs what CTAs have in common: `pipeline.multicast(group).run(cluster, …)`"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait PipelineGroup<'s, V>: Sealed {
    #[doc(hidden)]
    fn cta(&self) -> &Cta;
    #[doc(hidden)]
    fn sync(&self);
}
// SAFETY: `V` is of one CTA (`CtaSignals`), of whose threads `sync` is a barrier.
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
// SAFETY: the CTAs of `G` are of this cluster (`SharingIn<'s>`), of whose threads `sync` is a barrier.
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
    /// The pipeline with tiles that CTAs of the cluster have in common, so that global memory is read once for all of
    /// them. Each tile is cut into `CTAS` equal parts. The CTA of rank r in the group loads part r and multicasts it to all of the
    /// group; a stage has arrived when all parts have. For a stage of two tiles `group` can be a pair: `(row, column)`, or
    /// `(row, ())` where the CTA has the second tile for itself. A stage is loaded again when the consumers of all those
    /// CTAs have released it.
    ///
    /// The cluster runs it. Where one CTA loads, or its consumers wait for, more tiles than another of the group, they wait for
    /// ever.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{cluster::Cluster, global::Tiles, pipeline::Pipeline};
    /// # fn body<'c>(cluster: &mut Cluster<'c>, pipeline: Pipeline<'c, [f32; 1024], 4>, tiles: Tiles<f32, 1024>)
    /// # -> Pipeline<'c, [f32; 1024], 4> {
    /// let Some(pair) = cluster.whole::<2>() else { return pipeline };
    /// let mut sum = 0.0;
    /// let pipeline = pipeline.multicast(pair).run(
    ///     cluster,
    ///     |thread, mut producer| {
    ///         let mut i = 0;
    ///         while let Some(tile) = tiles.get(i) {
    ///             producer = producer.load(thread, tile); // the first or the second half, into both CTAs
    ///             i += 1;
    ///         }
    ///         producer
    ///     },
    ///     |warps, mut consumer| {
    ///         for _ in 0..tiles.count() {
    ///             let tile = consumer.wait(warps); // for both halves
    ///             sum += tile.get(warps.thread_rank() as usize).unwrap_or(0.0);
    ///             consumer = tile.release(warps);
    ///         }
    ///         consumer
    ///     },
    /// );
    /// # pipeline
    /// # }
    /// ```
    #[inline(always)]
    pub fn multicast<G: SharingIn<'s>>(self, group: G) -> Pipeline<'s, S, STAGES, G> {
        const {
            assert!(G::CTAS > 0, "no tile is shared with another CTA: `pipeline.run` has no groups");
            assert!(
                G::CTAS <= 32,
                "a warp tells as many CTAs as it has lanes: choose fewer tiles, or smaller groups"
            );
        }
        Pipeline { addr: self.addr, signals: group, _scope: PhantomData, _tiles: PhantomData }
    }
}

impl<'s, S: StageTiles, const STAGES: usize, V: StageSignals> Pipeline<'s, S, STAGES, V> {
    /// PipelineGroup `produce` in the producers and `consume` in the consumers, at the same time: in the first thread of the CTA, and in every thread
    /// of the warps after the first; by a [`BarrierPair`](super::BarrierPair), in the warps that it names. The other threads wait. Each closure gets its
    /// threads as a group, and the handle of its part; it returns the handle. Both go round the stages: the producers fill as many as each
    /// consumer waits for. A consumer that waits for more waits for ever.
    ///
    /// The mbarriers are initialised before and invalidated after, each behind a barrier: many
    /// tiles are work for one `run`. Traps where the CTA lacks a part: it is of whole warps, two or more; by a `BarrierPair`, of its threads or more.
    ///
    /// The closures cannot use the CTA, as it is lent to the run: what they want to know of it (`cta.grid_rank()`) is asked before.
    ///
    /// Collective in the CTA or the cluster that runs it.
    ///
    /// PTX by the leader, a stage: two `mbarrier.init.shared::cta.b64`; `fence.mbarrier_init.release.cluster;`
    /// `fence.proxy.async.shared::cta;`; by every thread `barrier.cta.sync.aligned 0;`; after both, by the producer, a stage:
    /// `mbarrier.try_wait.parity.acquire.cta.shared::cta.b64`; by every thread `barrier.cta.sync.aligned 0;`; by the
    /// leader, a stage: two `mbarrier.inval.shared::cta.b64`; by every thread `barrier.cta.sync.aligned 0;`. Of a `multicast`:
    /// `barrier.cluster.arrive.release.aligned;` `barrier.cluster.wait.acquire.aligned;` in place of
    /// the first two barriers, and `.cluster` for `.cta` in the waits. By a `BarrierPair`: by each consumer
    /// `barrier.cta.arrive.aligned EMPTY, THREADS;` before, by each producer `barrier.cta.sync.aligned EMPTY, THREADS;` after; by every thread
    /// `barrier.cta.sync.aligned 0;`
    ///
    /// ```
    /// # use ptx::{global::Tiles, launch::Cta, pipeline::PipelineMemory};
    /// # fn kernel(cta: &mut Cta, memory: PipelineMemory<[f32; 1024], 4>, tiles: Tiles<f32, 1024>) {
    /// let mut sum = 0.0;
    /// cta.async_scope(memory, |cta, pipeline| {
    ///     pipeline.run(
    ///         cta,
    ///         |thread, mut producer| {
    ///             let mut i = 0;
    ///             while let Some(tile) = tiles.get(i) {
    ///                 producer = producer.load(thread, tile);
    ///                 i += 1;
    ///             }
    ///             producer
    ///         },
    ///         |warps, mut consumer| {
    ///             for _ in 0..tiles.count() {
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
    #[inline(always)]
    pub fn run<By: PipelineGroup<'s, V>>(
        self,
        by: &mut By,
        produce: impl for<'p> FnOnce(&V::Producers<'p>, Producer<'p, S, STAGES, V>) -> Producer<'p, S, STAGES, V>,
        consume: impl for<'p> FnOnce(&Warps<'p>, Consumer<'p, S, STAGES, V>) -> Consumer<'p, S, STAGES, V>,
    ) -> Pipeline<'s, S, STAGES, V::Own> {
        self.parts::<()>(by, produce, consume);
        self.reset(by)
    }

    /// [`run`](Pipeline::run) in the last scope of the kernel ([`Cta::async_scope_last`], [`Cta::cluster_scope_last`]): a consumer that is done does not wait
    /// for the others, and the mbarriers stay as they are. Of a [`multicast`](Pipeline::multicast), the scope's barrier is the last.
    ///
    /// Collective in the CTA or the cluster that runs it.
    ///
    /// PTX: as [`run`](Pipeline::run), without the two last barriers and what lies between them, by a `BarrierPair` without the last
    ///
    /// ```
    /// # use ptx::{global::Tiles, launch::Cta, pipeline::PipelineMemory};
    /// # fn kernel(cta: Cta, memory: PipelineMemory<[f32; 1024], 4>, tiles: Tiles<f32, 1024>) {
    /// let (mut next, step) = (cta.grid_rank() as usize, cta.grid_size() as usize);
    /// let mine = tiles.count().saturating_sub(next).div_ceil(step);
    /// let mut sum = 0.0;
    /// cta.async_scope_last(memory, |cta, pipeline| {
    ///     pipeline.run_last(
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
    #[inline(always)]
    pub fn run_last<By: PipelineGroup<'s, V>>(
        self,
        by: &mut By,
        produce: impl for<'p> FnOnce(&V::Producers<'p>, Producer<'p, S, STAGES, V>) -> Producer<'p, S, STAGES, V>,
        consume: impl for<'p> FnOnce(&Warps<'p>, Consumer<'p, S, STAGES, V>) -> Consumer<'p, S, STAGES, V>,
    ) -> RunEnded<'s, S, STAGES, V> {
        // The producers stay until their copies have come.
        self.parts::<()>(by, produce, consume);
        Ended::new()
    }

    /// [`run`](Pipeline::run) with handles for each part: the CTA hands them over ([`Cta::invoke_one`] says which), the threads of the part hold
    /// them in the closure, and behind the run the CTA has them again. The consumers are a group with a barrier of their own, `barrier`, so they
    /// make collective calls on what they hold: fill a tile, and store it. With `((), ())` for handles they have the barrier alone. The producers of a
    /// [`BarrierPair`](super::BarrierPair) have no barrier, and nothing to do with handles. Traps where `barrier` is not of as many threads as consume; by a
    /// `BarrierPair`, that does not compile.
    ///
    /// Collective in the CTA or the cluster that runs it.
    ///
    /// PTX: as [`run`](Pipeline::run); by a `BarrierPair`, by every thread `barrier.cta.sync.aligned 0;` before.
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
            // SAFETY: the producers use the handles, and the others come to the barrier of `reset`. The lifetime is this call's alone: what the
            // closure returns is what it got, idle.
            |threads, producer| produce(threads, producer, unsafe { for_producers.hand_over() }).0,
            // SAFETY: the consumers use theirs, and the others come to the same barrier.
            |warps, consumer| consume(warps, consumer, unsafe { for_consumers.hand_over() }).0,
        );
        (self.reset(by), for_producers, for_consumers)
    }

    /// [`run_with`](Pipeline::run_with) in the last scope of the kernel, as [`run_last`](Pipeline::run_last): neither the handles nor the barrier come
    /// back, as other warps end the run before the consumers. Each closure returns what says that the use of its handles has ended.
    ///
    /// Collective in the CTA or the cluster that runs it.
    ///
    /// PTX: as [`run_last`](Pipeline::run_last); by a `BarrierPair`, by every thread `barrier.cta.sync.aligned 0;` before.
    ///
    /// ```
    /// # use ptx::{barrier::NamedBarrier, global::GlobalTile, launch::Cta, pipeline::PipelineMemory, shared::SharedArray};
    /// ptx::shared_memory! {
    ///     struct Smem { memory: PipelineMemory<[u32; 256], 2>, turned: SharedArray<u32, 256>, consumers: NamedBarrier<1, 64> }
    /// }
    /// # fn kernel(cta: Cta, smem: Smem, tile: GlobalTile<u32, 256>, out: &mut u32) {
    /// let Smem { memory, turned, consumers } = smem;
    /// cta.async_scope_last((memory, turned), |cta, (pipeline, turned)| {
    ///     let (pipeline, (), turned) = pipeline.run_with_last(
    ///         cta,
    ///         consumers,
    ///         ((), turned),
    ///         |thread, producer, ()| (producer.load(thread, tile), ()),
    ///         |warps, consumer, turned| {
    ///             let full = consumer.wait(warps);
    ///             // The two warps exchange words by an array that they hold together.
    ///             let turned = turned.write(warps, |i| full.get(255 - i).unwrap_or(0)).publish(warps);
    ///             *out = turned.get(warps.thread_rank() as usize).unwrap_or(0);
    ///             (full.release(warps), turned.end())
    ///         },
    ///     );
    ///     (pipeline, turned)
    /// });
    /// # }
    /// ```
    #[inline(always)]
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
            // SAFETY: the producers use the handles, which are not used again.
            |threads, producer| produce(threads, producer, unsafe { for_producers.hand_over() }).0,
            // SAFETY: the consumers use theirs, which are not used again.
            |warps, consumer| consume(warps, consumer, unsafe { for_consumers.hand_over() }).0,
        );
        (Ended::new(), for_producers.end(), for_consumers.end())
    }

    /// From the initialisation of the mbarriers, which a barrier shows to all that use them, to the producers' wait for what is under way. Traps
    /// where `B` is not of as many threads as consume.
    #[inline(always)]
    fn parts<B: PartBarrier>(
        &self,
        by: &impl PipelineGroup<'s, V>,
        produce: impl for<'p> FnOnce(&V::Producers<'p>, Producer<'p, S, STAGES, V>) -> Producer<'p, S, STAGES, V>,
        consume: impl for<'p> FnOnce(&Warps<'p, B>, Consumer<'p, S, STAGES, V>) -> Consumer<'p, S, STAGES, V>,
    ) {
        const {
            Layout::<S, STAGES, V>::check();
            assert!(
                V::MBARRIERS > 0 || STAGES == 1,
                "a hand-off has one stage: its two barriers tell of one"
            );
            if let (Some(of_barrier), Some(consumers)) = (B::THREADS, V::CONSUMERS) {
                assert!(
                    of_barrier == consumers,
                    "the barrier of the consumers is of as many threads as the hand-off names"
                );
            }
        }
        let (rank, threads) = (by.cta().thread_rank(), by.cta().thread_count());
        V::check(threads);
        let consumers = V::CONSUMERS.unwrap_or(threads - V::FIRST_CONSUMER);
        if B::THREADS.is_some_and(|of_barrier| of_barrier != consumers) {
            trap();
        }
        let releases = V::RELEASES * (threads / WARP - 1);
        if V::MBARRIERS > 0 && rank == 0 {
            // SAFETY: the memory is this pipeline's, idle, and holds no valid mbarrier; a cluster has fewer than 2^20 threads.
            unsafe { Layout::<S, STAGES, V>::init(self.addr, releases) };
        }
        // Behind it the mbarriers are there, and no thread is in an earlier call of the consumers' barrier, or uses what the consumers get.
        if const { V::MBARRIERS > 0 || B::THREADS.is_some() } {
            by.sync();
        }
        // SAFETY: each thread of a part makes its group and its handle once, for its closure, whose lifetime is that call's alone. Consumers are whole
        // warps, by `V::check`, as many threads as `B` counts, which the caller has for the time of the run, or for good. The mbarriers are valid
        // until `reset`, behind a barrier of all threads that use them, or until the kernel ends.
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

    /// Invalidates the mbarriers, which no thread uses behind the barrier.
    #[inline(always)]
    fn reset(self, by: &impl PipelineGroup<'s, V>) -> Pipeline<'s, S, STAGES, V::Own> {
        by.sync();
        if V::MBARRIERS > 0 {
            if by.cta().thread_rank() == 0 {
                // SAFETY: valid, and by the barrier above no thread or copy uses them any more.
                unsafe { Layout::<S, STAGES, V>::inval(Layout::<S, STAGES, V>::full(self.addr, 0)) };
            }
            by.cta().sync();
        }
        Pipeline { addr: self.addr, signals: V::Own::NEW, _scope: PhantomData, _tiles: PhantomData }
    }
}
