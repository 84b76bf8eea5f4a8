//! The two parts of a pipeline: producers fill stages, consumers read them.

use core::fmt;
use core::marker::PhantomData;

use super::layout::{Cursor, Layout, StageMbarriers};
use super::stage::{Sharing, StageSource, StageTiles};
use crate::async_group::Token;
use crate::bulk::{CopySource, Source};
use crate::group::Brand;
use crate::group::{Thread, Warps};
use crate::mark::Group;
use crate::mbarrier::{await_copies, await_parity};
#[cfg(any(wgmma, tcgen05))]
use crate::qualifier::mode;
use crate::qualifier::{Sealed, arrivals, cache_hint, scope, sem, space, suspend_time_hint};
use crate::raw::{self, MbarrierSuspendTimeHint};
use crate::shared::Element;
use crate::trap::trap_because;

pub(super) const WARP: u32 = 32;

/// How the two parts of a pipeline signal each other that a stage is full or empty: by mbarriers of this CTA (`()`), by mbarriers
/// of the CTAs that share tiles ([`Sharing`]), or by two named barriers ([`BarrierPair`](super::BarrierPair)).
///
/// # Safety
///
/// Implemented here only:
///
/// 1. A thread produces, consumes, or does neither. All threads of a warp do the same, except in the warp of a single producer
///    thread.
/// 2. `await_full` returns after the stage has been filled. A wait of a producer returns after all consumers have released the
///    stage.
/// 3. Both waits order the earlier accesses of the other part before the accesses that follow the wait.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot signal the stages of a pipeline",
    label = "neither mbarriers nor named barriers",
    note = "use `()` (the default: mbarriers of this CTA) or `BarrierPair<FULL, EMPTY, PRODUCERS, CONSUMERS>`; after `pipeline.multicast(peers)` the signals are the `Peers`, or for a pair of tiles a pair of them"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait StageSignals: StageMbarriers + Copy {
    /// The group of producers that the `produce` closure gets.
    type Producers<'p>: fmt::Debug + Group;
    /// The signals of the same pipeline when its CTA shares no tiles.
    type Own: CtaSignals;
    /// Traps if a CTA of `threads` threads cannot run both parts of the pipeline: producers and consumers.
    #[doc(hidden)]
    fn check(threads: u32);
    /// How many arrivals a phase of a stage's mbarrier `empty` expects for each consumer warp of this CTA; 0 for named barriers.
    #[doc(hidden)]
    const RELEASES: u32;
    /// Returns whether the thread of rank `rank` in the CTA is a producer.
    #[doc(hidden)]
    fn produces(rank: u32) -> bool;
    /// The group of producers, as the thread of rank `rank` in the CTA holds it.
    ///
    /// # Safety
    ///
    /// The executing thread has that rank and produces. `'p` belongs to this part of this run alone.
    #[doc(hidden)]
    unsafe fn producers<'p>(rank: u32) -> Self::Producers<'p>;
    /// The rank in the CTA of the first consumer.
    #[doc(hidden)]
    const FIRST_CONSUMER: u32;
    /// How many threads consume, or `None` if all threads from `FIRST_CONSUMER` on do.
    #[doc(hidden)]
    const CONSUMERS: Option<u32>;
    /// Runs in each consumer before its first stage: with named barriers, signals the producers that the stage is empty.
    ///
    /// # Safety
    ///
    /// Every consumer calls this once per run.
    #[doc(hidden)]
    unsafe fn begin_consuming(&self);
    /// Waits, in a consumer, until the producers have filled the stage. `full` is its mbarrier, unless named barriers signal.
    ///
    /// # Safety
    ///
    /// A consumer calls this. If stages have mbarriers, `full` is valid, and `parity` is of its current phase or of the one
    /// before.
    #[doc(hidden)]
    unsafe fn await_full(&self, full: u32, parity: u32);
    /// Signals the producers that a warp of consumers has read the stage with the mbarrier `empty`. `LOADED` says whether threads
    /// may have read it by ordinary loads.
    ///
    /// # Safety
    ///
    /// 1. The consumers of the warp call this from the same place, once for each stage that they have waited for.
    /// 2. `rank` is the executing thread's rank among the consumers.
    /// 3. If stages have mbarriers, `empty` is valid.
    /// 4. All asynchronous reads of the stage have completed. If `LOADED` is false, there are no other reads.
    #[doc(hidden)]
    unsafe fn release<const LOADED: bool>(&self, rank: u32, empty: u32);
    /// Waits, in a producer after its last stage, until no operation of this producer is in flight.
    ///
    /// # Safety
    ///
    /// Every producer calls this once per run.
    #[doc(hidden)]
    unsafe fn drain<S: StageTiles, const STAGES: usize>(&self, base: u32, at: Cursor);
}

/// How the two parts of a pipeline in one CTA signal each other ([`StageSignals`]): by mbarriers (`()`) or by two named barriers.
///
/// # Safety
///
/// Implemented here only: no other CTA fills or releases a stage.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot signal the stages of a pipeline that one CTA runs",
    label = "signals of a cluster, or no signals",
    note = "declare `PipelineMemory<S, STAGES>`, or add a `BarrierPair`; to share tiles among CTAs, call `pipeline.multicast(peers)` and run the pipeline by the cluster"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait CtaSignals: StageSignals {
    /// The named barriers that the signals use, as the mask [`Place::BARRIERS`](crate::shared::Place::BARRIERS).
    #[doc(hidden)]
    const BARRIERS: u16;
    #[doc(hidden)]
    const NEW: Self;
}

// SAFETY: copies complete the phases of `full`, and consumers complete those of `empty`.
unsafe impl<G: Sharing> StageMbarriers for G {
    const MBARRIERS: u32 = 2;
}

// SAFETY: `()` names no other CTA (`Sharing`).
unsafe impl CtaSignals for () {
    const BARRIERS: u16 = 0;
    const NEW: Self = ();
}

/// Waits for the phase of that parity of a stage's `full`, and acquires what the copies of the CTAs of `G` have written.
///
/// # Safety
///
/// `bar` is a valid mbarrier of this CTA, and `parity` is of its current phase or of the one before.
#[inline(always)]
unsafe fn await_full<G: Sharing>(bar: u32, parity: u32, hint: impl MbarrierSuspendTimeHint + Copy) {
    // SAFETY: the caller passes a valid mbarrier and a parity in range (`# Safety`).
    unsafe {
        if G::CTAS == 0 {
            await_parity(sem::Acquire, scope::Cta, bar, parity, hint);
        } else {
            await_copies(bar, parity, hint);
        }
    }
}

/// [`await_full`] of a whole warp, whose lanes leave the loop together. So ptxas knows that the warp has not diverged behind it, and
/// computes matrix descriptors in uniform registers.
///
/// # Safety
///
/// As [`await_full`]. All lanes of the warp make this call together.
#[cfg(any(wgmma, tcgen05))]
#[inline(always)]
pub(crate) unsafe fn await_full_together<G: Sharing>(bar: u32, parity: u32) {
    let hint = suspend_time_hint::None;
    // SAFETY: the caller passes a valid mbarrier and a parity in range, and the lanes are together (`# Safety`).
    unsafe {
        loop {
            let is_full = if G::CTAS == 0 {
                raw::mbarrier_try_wait_parity(sem::Acquire, scope::Cta, space::SharedCta, bar, parity, hint)
            } else {
                raw::mbarrier_try_wait_parity(
                    sem::Relaxed,
                    scope::Cluster,
                    space::SharedCta,
                    bar,
                    parity,
                    hint,
                )
            };
            if raw::vote_sync(mode::All, is_full, u32::MAX) {
                break;
            }
        }
    }
    if G::CTAS > 0 {
        raw::fence_acquire_sync_restrict();
    }
}

/// Waits for the phase of that parity of a stage's `empty`, and acquires for later copies what the consumers of the CTAs of `G`
/// have released ([`release_stage`]).
///
/// # Safety
///
/// `bar` is a valid mbarrier of this CTA, and `parity` is of its current phase or of the one before.
#[inline(always)]
unsafe fn await_empty<G: Sharing>(bar: u32, parity: u32) {
    let hint = suspend_time_hint::None;
    // SAFETY: the caller passes a valid mbarrier and a parity in range (`# Safety`).
    unsafe {
        if G::CTAS == 0 {
            await_parity(sem::Acquire, scope::Cta, bar, parity, hint);
        } else {
            await_parity(sem::Relaxed, scope::Cluster, bar, parity, hint);
            raw::fence_proxy_async_generic_acquire_sync_restrict();
        }
    }
}

// SAFETY: the thread of rank 0 produces, and the warps after the first consume (clause 1). A phase of `full` completes when all
// bytes of the stage have arrived; a phase of `empty` completes when each consumer warp has arrived, after its `bar.warp.sync`
// (clause 2). Releases and acquires have a scope that covers the CTAs of `G`, and the shared memory in which the stages lie; that of a
// stage to copies of other CTAs also passes the proxies (clause 3).
unsafe impl<G: Sharing> StageSignals for G {
    type Producers<'p> = Thread<'p>;
    type Own = ();
    // One arrival of each consumer warp of every CTA that shares tiles with this CTA.
    const RELEASES: u32 = if G::CTAS == 0 { 1 } else { G::CTAS };
    const FIRST_CONSUMER: u32 = WARP;
    const CONSUMERS: Option<u32> = None;

    #[inline(always)]
    fn check(threads: u32) {
        if threads <= WARP || !threads.is_multiple_of(WARP) {
            trap_because!("a `Pipeline` needs two or more whole warps")
        }
    }

    #[inline(always)]
    fn produces(rank: u32) -> bool {
        rank == 0
    }

    #[inline(always)]
    unsafe fn producers<'p>(_rank: u32) -> Thread<'p> {
        // SAFETY: the executing thread is the one producer, and `'p` belongs to its part (`# Safety`).
        unsafe { Thread::of_part() }
    }

    #[inline(always)]
    unsafe fn begin_consuming(&self) {}

    #[inline(always)]
    unsafe fn await_full(&self, full: u32, parity: u32) {
        // SAFETY: the caller passes a valid mbarrier and a parity in range (`# Safety`).
        unsafe { await_full::<G>(full, parity, suspend_time_hint::None) };
    }

    #[inline(always)]
    unsafe fn release<const LOADED: bool>(&self, rank: u32, empty: u32) {
        // All lanes have read the stage once `bar_warp_sync` returns. By the contract of `Cta::enter`, the lanes are in no other
        // call of the warp.
        // SAFETY: consumers are whole warps, so the executing thread is in the mask (9.7.13.2).
        unsafe { raw::bar_warp_sync(u32::MAX) };
        let lane = rank % WARP;
        if lane >= Self::RELEASES {
            return;
        }
        if G::CTAS == 0 {
            // SAFETY: clause 3 of `# Safety`. This is the warp's one arrival in the phase: the next one follows the next load of
            // the stage, which the producer starts after its wait for this phase.
            unsafe { raw::mbarrier_arrive(sem::Release, scope::Cta, space::SharedCta, empty, arrivals::One) };
        } else {
            // SAFETY: `empty` is valid at the same place in every CTA of the cluster, and all of them are alive in the scope.
            // This is the warp's one arrival in the phase for these peers: the next one follows a load to which every producer of
            // the peers contributes after its wait for this phase.
            unsafe {
                let bar = raw::mapa_shared_cluster(empty, self.cta(lane));
                // For the loads of all lanes: they happened before, by `bar_warp_sync`. An arrival with `.release.cluster` also
                // waits for accesses of global memory (`MEMBAR.ALL.GPU`), and passes no proxy.
                if LOADED {
                    raw::fence_proxy_async_generic_release_sync_restrict();
                }
                raw::mbarrier_arrive_shared_cluster(sem::Relaxed, scope::Cluster, bar, arrivals::One);
            }
        }
    }

    #[inline(always)]
    unsafe fn drain<S: StageTiles, const STAGES: usize>(&self, base: u32, mut at: Cursor) {
        let mut stages = STAGES as u32;
        while stages > 0 {
            let full = Layout::<S, STAGES, G>::full(base, at.stage);
            // SAFETY: `full` is valid until `reset`. Stages from the cursor on were last loaded in the previous round, and stages
            // after the wrap in this round, so `at.parity ^ 1` is the parity of the last load. A stage that was never loaded is
            // in phase 0, and the phase before counts as complete: assumption A10 of docs/SOUNDNESS.md.
            unsafe { await_full::<G>(full, at.parity ^ 1, suspend_time_hint::None) };
            at.advance::<STAGES>();
            stages = rolled(stages - 1);
        }
    }
}

/// Returns `number` as a value that LLVM knows nothing about, so LLVM does not unroll a loop that counts with it.
#[inline(always)]
fn rolled(mut number: u32) -> u32 {
    #[cfg(target_arch = "nvptx64")]
    // SAFETY: the assembly is a PTX comment.
    unsafe {
        core::arch::asm!("// {0}", inout(reg32) number, options(pure, nomem, nostack, preserves_flags));
    }
    #[cfg(not(target_arch = "nvptx64"))]
    {
        number = core::hint::black_box(number);
    }
    number
}

/// The producer's handle of a [`Pipeline`](super::Pipeline) (a producer of CUDA's `cuda::pipeline`). One thread holds the handle
/// and loads tiles ([`load`](Producer::load)); with a [`BarrierPair`](super::BarrierPair), the first warps hold the handle and
/// write tiles ([`write`](Producer::write)). [`Pipeline`](super::Pipeline) has an example.
#[must_use = "the `produce` closure must return this handle"]
#[derive(Debug)]
pub struct Producer<'p, S, const STAGES: usize, Signals = ()> {
    pub(super) base: u32,
    at: Cursor,
    signals: Signals,
    _run: Brand<'p>,
    _tiles: PhantomData<*mut S>,
}

/// The consumers' handle of a [`Pipeline`](super::Pipeline) (a consumer of CUDA's `cuda::pipeline`). Whole warps hold the handle
/// and read full stages. [`Pipeline`](super::Pipeline) has an example.
#[must_use = "the `consume` closure must return this handle"]
#[derive(Debug)]
pub struct Consumer<'p, S, const STAGES: usize, Signals = ()> {
    base: u32,
    at: Cursor,
    signals: Signals,
    _run: Brand<'p>,
    _tiles: PhantomData<*mut S>,
}

/// A full stage of a [`Pipeline`](super::Pipeline), readable by the consumers until [`release`](FullStage::release).
#[must_use = "the producer waits for the stage: call `.release(&warps)`"]
#[derive(Debug)]
pub struct FullStage<'p, S, const STAGES: usize, Signals = ()>(Consumer<'p, S, STAGES, Signals>);

/// A full stage of a [`Pipeline`](super::Pipeline) that the consumers read by asynchronous operations alone, until
/// [`release`](AsyncStage::release). Threads cannot load from it, so its release needs no fence.
///
/// A stage of one tile is a source of [`bulk::store`](crate::bulk::store()) and its like, if the consumers have a barrier `B`
/// ([`Pipeline::run_with`](super::Pipeline::run_with)). For assembly such as `wgmma` there is [`addr`](AsyncStage::addr).
///
/// ```
/// # use ptx::{bulk, global::TilesMut, group::Warps, pipeline::{Consumer, ConsumersBarrier}};
/// /// Stores each tile as it comes.
/// fn store<'p>(
///     warps: &Warps<'p, ConsumersBarrier<1>>,
///     mut consumer: Consumer<'p, [f32; 1024], 4>,
///     mut to: TilesMut<f32, 1024>,
/// ) -> Consumer<'p, [f32; 1024], 4> {
///     while let Some((_, tile)) = to.next_tile() {
///         let stage = consumer.wait_async(warps);
///         let stage = bulk::store(warps, stage, tile).commit(warps).wait_read(warps).sync(warps);
///         consumer = stage.release(warps);
///     }
///     consumer
/// }
/// ```
#[must_use = "the producer waits for the stage: call `.release(&warps)`"]
#[derive(Debug)]
pub struct AsyncStage<'p, S, const STAGES: usize, G = (), B = ()> {
    consumer: Consumer<'p, S, STAGES, G>,
    _barrier: PhantomData<fn(&B)>,
}

impl<'p, S: StageTiles, const STAGES: usize, Signals: StageSignals> Producer<'p, S, STAGES, Signals> {
    /// A producer at the first stage, which is empty.
    ///
    /// # Safety
    ///
    /// 1. Each producer gets one handle per run, and `'p` belongs to that run alone.
    /// 2. During the run, nothing else fills the stages at `base`, and their mbarriers are valid.
    #[inline(always)]
    pub(super) unsafe fn new(base: u32, signals: Signals) -> Self {
        Producer { base, at: Cursor::START, signals, _run: PhantomData, _tiles: PhantomData }
    }

    /// Waits until nothing that this producer has started is in flight.
    #[inline(always)]
    pub(super) fn drain(self) {
        // SAFETY: `self` is the producer's one handle of the run, and this call consumes it.
        unsafe { self.signals.drain::<S, STAGES>(self.base, self.at) };
    }
}

impl<'p, S: StageTiles, const STAGES: usize, G: Sharing> Producer<'p, S, STAGES, G> {
    /// Waits until the next stage is empty, and starts the bulk async copies (TMA) of `src` into the stage (CUDA's
    /// `producer_acquire`, copies, `producer_commit`).
    ///
    /// For a stage of one tile `[T; N]`, `src` is a tile of global memory, or a box of a tensor with `N` elements. For a stage of
    /// two tiles, `src` is a pair. With [`multicast`](super::Pipeline::multicast), all peers pass the same tile of
    /// global memory. Of a tensor, each CTA passes its own box of `N / CTAS` elements: the peer of rank r loads part
    /// r of the tile.
    ///
    /// Collective in the group.
    ///
    /// PTX: repeated while false: `mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 waitComplete, [empty], parity;`, then
    /// `mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 state, [full], bytes;` and for each tile
    /// `cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [tile], [src], bytes, [full];` or
    /// `cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [tile], [map, {x, y}], [full];` in the rank
    /// and the mode of the map. With [`multicast`](super::Pipeline::multicast) the wait is `.relaxed.cluster`,
    /// `fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;` follows it, and each copy brings this CTA's
    /// part and has `.shared::cluster` for the first `.shared::cta`, `.multicast::cluster` and the mask of the peers.
    ///
    /// ```
    /// # use ptx::{global::GlobalTile, group::Thread, pipeline::Producer, tensor::{Box2, TensorMap}};
    /// /// A stage holds a tile of a tensor and a tile of global memory.
    /// fn products<'p>(
    ///     thread: &Thread<'p>,
    ///     mut producer: Producer<'p, ([f32; 2048], [f32; 512]), 4>,
    ///     a: TensorMap<f32, Box2<64, 32>>,
    ///     b: GlobalTile<f32, 512>,
    /// ) -> Producer<'p, ([f32; 2048], [f32; 512]), 4> {
    ///     for y in 0..4 {
    ///         producer = producer.load(thread, (a.box_at([0, y]), b)); // both into one stage
    ///     }
    ///     producer
    /// }
    /// ```
    #[inline(always)]
    #[track_caller]
    #[doc(alias("producer_acquire", "producer_commit"))]
    pub fn load<Src: StageSource<S, G>>(mut self, _thread: &Thread<'p>, src: Src) -> Self {
        const { Src::FITS };
        let Cursor { stage, parity } = self.at;
        let full = Layout::<S, STAGES, G>::full(self.base, stage);
        let empty = Layout::<S, STAGES, G>::empty(self.base, stage);
        // SAFETY: `empty` is valid (`Producer::new`). The releases that free the stage complete the phase of the previous round,
        // of the other parity. This phase is the current one or the one before, because the next releases need this load. In the
        // first round it is the phase before phase 0, which counts as complete: assumption A10 of docs/SOUNDNESS.md.
        unsafe { await_empty::<G>(empty, parity ^ 1) };
        // SAFETY: `full` is valid (`Producer::new`), and this is the one arrival of the phase: consumers waited for the previous
        // phase before they released the stage. The copies below, and those of the other CTAs, bring the bytes.
        unsafe { Layout::<S, STAGES, G>::expect(full) };
        // SAFETY: the stage is empty in every CTA that shares tiles with this one. The stage and each tile in it are aligned to
        // 128 bytes. The run ends after the copies (`drain`).
        unsafe {
            src.load(Layout::<S, STAGES, G>::stage(self.base, stage), self.signals, full, cache_hint::None)
        };
        self.at.advance::<STAGES>();
        self
    }

    /// [`load`](Producer::load)s each source into a stage.
    #[inline(always)]
    pub(super) fn load_each<Src: StageSource<S, G>>(
        mut self,
        thread: &Thread<'p>,
        sources: impl Iterator<Item = Src>,
    ) -> Self {
        for source in sources {
            self = self.load(thread, source);
        }
        self
    }
}

impl<'p, S: StageTiles, const STAGES: usize, Signals: StageSignals> Consumer<'p, S, STAGES, Signals> {
    /// A consumer before the first stage.
    ///
    /// # Safety
    ///
    /// 1. Each consumer gets one handle per run, and `'p` belongs to that run alone.
    /// 2. During the run, nothing else releases the stages at `base`, and their mbarriers are valid.
    #[inline(always)]
    pub(super) unsafe fn new(base: u32, signals: Signals) -> Self {
        Consumer { base, at: Cursor::START, signals, _run: PhantomData, _tiles: PhantomData }
    }

    /// Waits until the next stage is full (CUDA's `consumer_wait`).
    ///
    /// Collective in the warp.
    ///
    /// PTX, repeated while false: `mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 waitComplete, [full], parity;`, with
    /// [`multicast`](super::Pipeline::multicast) `.relaxed.cluster`, and then
    /// `fence.acquire.sync_restrict::shared::cluster.cluster;`; with a [`BarrierPair`](super::BarrierPair)
    /// `barrier.cta.sync.aligned FULL, THREADS;`
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "consumer_wait")]
    pub fn wait<B>(
        self, // `release` of the returned stage gives the consumer back
        warps: &Warps<'p, B>,
    ) -> FullStage<'p, S, STAGES, Signals> {
        meet!(warps.warp());
        self.full()
    }

    /// Waits for the next stage, and gives the stage and the consumer before the stage after it.
    #[cfg(wgmma)]
    #[inline(always)]
    pub(super) fn into_operands(mut self) -> (super::StageOperands<'p, S, STAGES, Signals>, Self)
    where
        S: super::OperandTiles,
        Signals: Sharing,
    {
        let full = Layout::<S, STAGES, Signals>::full(self.base, self.at.stage);
        // SAFETY: as in `full`. If all stages are in use, the wait is for a load that follows their releases. The lanes of the warp
        // make the call together (`Consumer::operands`).
        unsafe { await_full_together::<Signals>(full, self.at.parity) };
        // Lane 0's number is that of the whole warp. So ptxas keeps it in a uniform register.
        // SAFETY: the lanes of the warp make the call together (`Consumer::operands`).
        let stage = unsafe { raw::shfl_sync(mode::Idx, self.at.stage, 0, 0x1f, u32::MAX) };
        let stage = super::StageOperands::new(self.base, stage, self.signals);
        self.at.advance::<STAGES>();
        (stage, self)
    }

    /// As [`into_operands`](Consumer::into_operands), by one thread.
    #[cfg(tcgen05)]
    #[inline(always)]
    pub(super) fn into_operands_of_one(mut self) -> (super::StageOperands<'p, S, STAGES, Signals>, Self)
    where
        S: super::OperandTiles,
        Signals: Sharing,
    {
        let full = Layout::<S, STAGES, Signals>::full(self.base, self.at.stage);
        // SAFETY: as in `full`. If all stages are in use, the wait is for a load that follows their commits.
        unsafe { self.signals.await_full(full, self.at.parity) };
        let stage = super::StageOperands::new(self.base, self.at.stage, self.signals);
        self.at.advance::<STAGES>();
        (stage, self)
    }

    /// [`wait`](Consumer::wait), without its check.
    #[inline(always)]
    pub(super) fn full(self) -> FullStage<'p, S, STAGES, Signals> {
        let full = Layout::<S, STAGES, Signals>::full(self.base, self.at.stage);
        // SAFETY: `full` is valid (`Consumer::new`). `parity` is of the current phase or of the one before: the stage is not
        // filled again before this thread releases it.
        unsafe { self.signals.await_full(full, self.at.parity) };
        FullStage(self)
    }
}

impl<'p, S: StageTiles, const STAGES: usize, G: Sharing> Consumer<'p, S, STAGES, G> {
    /// Waits as [`wait`](Consumer::wait) does until the next stage is full, which the consumers then read by asynchronous
    /// operations alone.
    ///
    /// Collective in the warp.
    ///
    /// PTX: as [`wait`](Consumer::wait).
    #[inline(always)]
    #[track_caller]
    pub fn wait_async<B>(
        self, // `release` of the returned stage gives the consumer back
        warps: &Warps<'p, B>,
    ) -> AsyncStage<'p, S, STAGES, G, B> {
        AsyncStage { consumer: self.wait(warps).0, _barrier: PhantomData }
    }
}

impl<'p, S: StageTiles, const STAGES: usize, Signals: StageSignals> FullStage<'p, S, STAGES, Signals> {
    /// Returns the loaded tile of the stage as a [`StageTile`](super::StageTile), which threads read as shared memory; a pair of
    /// them if the stage holds two tiles. Of a box of a tensor, `full.tiles().as_2d::<WIDTH>()` is a view by coordinates, and
    /// `.swizzled(Part::SWIZZLE)` of it reads a swizzled box.
    ///
    /// Not collective.
    #[inline(always)]
    #[doc(alias("as_2d", "swizzled"))]
    pub fn tiles(&self) -> S::View<'_> {
        // SAFETY: the tiles have arrived, and this thread does not release the stage during the borrow.
        unsafe { S::view(Layout::<S, STAGES, Signals>::stage(self.0.base, self.0.at.stage)) }
    }

    /// Releases the stage (CUDA's `consumer_release`): waits for all threads of the warp, then signals the producers that this
    /// warp has read the stage. The threads of the warp call `release` and the methods of a [`Warp`](crate::warp::Warp) in the
    /// same order.
    ///
    /// Collective in the warp.
    ///
    /// PTX: `bar.warp.sync 0xffffffff;`, then by lane 0 `mbarrier.arrive.release.cta.shared::cta.b64 state, [empty];`; with
    /// [`multicast`](super::Pipeline::multicast), by one lane for each CTA that shares tiles,
    /// `mapa.shared::cluster.u32 bar, empty, cta;` `fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;`
    /// `mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [bar];`; with a [`BarrierPair`](super::BarrierPair)
    /// `barrier.cta.arrive.aligned EMPTY, THREADS;` alone
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "consumer_release")]
    pub fn release<B>(self, warps: &Warps<'p, B>) -> Consumer<'p, S, STAGES, Signals> {
        meet!(warps.warp());
        self.empty(warps)
    }

    /// [`release`](FullStage::release), without its check.
    #[inline(always)]
    pub(super) fn empty<B>(self, warps: &Warps<'p, B>) -> Consumer<'p, S, STAGES, Signals> {
        let mut consumer = self.0;
        let empty = Layout::<S, STAGES, Signals>::empty(consumer.base, consumer.at.stage);
        // SAFETY: `wait` returned this handle, and this call consumes it (clause 1 of `StageSignals::release`). `warps` counts
        // the consumers (clause 2). The mbarriers are valid during the run (clause 3). No handle of the stage is a source of an
        // asynchronous operation (clause 4).
        unsafe { consumer.signals.release::<true>(warps.thread_rank(), empty) };
        consumer.at.advance::<STAGES>();
        consumer
    }
}

impl<'p, S: StageTiles, const STAGES: usize, G: Sharing, B> AsyncStage<'p, S, STAGES, G, B> {
    /// Returns the address of the stage in shared memory, for assembly that reads the stage asynchronously, such as the matrix
    /// descriptor of a `wgmma`. The tiles lie there one after the other, each aligned to 128 bytes. The assembly may not read the
    /// stage in any other way, and its reads have to be complete (`wgmma.wait_group`) before [`release`](AsyncStage::release).
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn addr(&self) -> u32 {
        Layout::<S, STAGES, G>::stage(self.consumer.base, self.consumer.at.stage)
    }

    /// Releases the stage as [`FullStage::release`] does, without a fence: asynchronous reads that are complete need none.
    ///
    /// Collective in the warp.
    ///
    /// PTX: `bar.warp.sync 0xffffffff;`, then by lane 0 `mbarrier.arrive.release.cta.shared::cta.b64 state, [empty];`; with
    /// [`multicast`](super::Pipeline::multicast), by one lane for each CTA that shares tiles,
    /// `mapa.shared::cluster.u32 bar, empty, cta;` `mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [bar];`
    #[inline(always)]
    #[track_caller]
    pub fn release(self, warps: &Warps<'p, B>) -> Consumer<'p, S, STAGES, G> {
        meet!(warps.warp());
        let mut consumer = self.consumer;
        let empty = Layout::<S, STAGES, G>::empty(consumer.base, consumer.at.stage);
        // SAFETY: clauses 1 to 3 of `StageSignals::release` as in `FullStage::release`. This handle lends the stage to no ordinary
        // load. A copy owns the handle until it has read the stage, and assembly keeps what `addr` asks (clause 4).
        unsafe { consumer.signals.release::<false>(warps.thread_rank(), empty) };
        consumer.at.advance::<STAGES>();
        consumer
    }
}

impl<S, const STAGES: usize, G, B> Sealed for AsyncStage<'_, S, STAGES, G, B> {}
impl<'p, S, const STAGES: usize, G, B> Source for AsyncStage<'p, S, STAGES, G, B> {
    type Group = Warps<'p, B>;
    type Read = Self;
    #[inline(always)]
    fn when_read(self, _: Token) -> Self {
        self
    }
}
// SAFETY: stages are aligned to 128 bytes. The leader, which starts the copy, has waited for the tile, and only the async proxy
// has written it: that the completion of another CTA's copy suffices is assumption A8 of docs/SOUNDNESS.md. The copies that load
// the stage again start after `release`, which uses this handle up.
unsafe impl<T: Element, const N: usize, const STAGES: usize, G: Sharing, B> CopySource<T, N>
    for AsyncStage<'_, [T; N], STAGES, G, B>
{
    #[inline(always)]
    fn tile(&self) -> u32 {
        self.addr()
    }
}

impl<T: Element, const N: usize, const STAGES: usize, Signals: StageSignals>
    FullStage<'_, [T; N], STAGES, Signals>
{
    /// Loads element `i` of the stage's tile from shared memory; `None` past the end.
    ///
    /// Not collective.
    ///
    /// PTX: `ld.weak.shared::cta`
    #[inline(always)]
    pub fn get(&self, i: usize) -> Option<T> {
        // Checked before the address is computed: this order saves instructions in some kernels.
        if i < N { self.tiles().get(i) } else { None }
    }

    /// Loads the sixteen bytes of the stage's tile that start at byte `16 * i` from shared memory; `None` past the end.
    ///
    /// Not collective.
    ///
    /// PTX: `ld.weak.shared::cta.v4.b32`, or `.v2.b64`, or `.b128` ([`Element::Vector`])
    #[inline(always)]
    pub fn get_vector(&self, i: usize) -> Option<T::Vector> {
        self.tiles().get_vector(i)
    }
}

handles! { Producer<[u32; 4], 2>, Consumer<[u32; 4], 2>, FullStage<[u32; 4], 2>, AsyncStage<[u32; 4], 2> }
