//! The two parts of a pipeline: who fills stages, and who reads them.

use core::fmt;
use core::marker::PhantomData;

use super::Invariant;
use super::layout::{Cursor, Layout, StageMbarriers};
use super::stage::{Sharing, StageSource, StageTiles};
use crate::group::{Thread, Warps};
use crate::mbarrier::await_parity;
use crate::qualifier::{arrivals, cache_hint, scope, sem, space, suspend_time_hint};
use crate::raw::{self, MbarrierSuspendTimeHint};
use crate::shared::Element;
use crate::trap::trap;

pub(super) const WARP: u32 = 32;

/// How the parts of a pipeline tell each other of its stages: by mbarriers, of this CTA alone (`()`) or of the CTAs that have tiles in common
/// ([`Sharing`]), or by two named barriers ([`BarrierPair`](super::BarrierPair)).
///
/// # Safety
///
/// Implemented here only. A thread produces, or consumes, or does neither, and warps do so whole, but for a warp of which one thread produces.
/// `await_full` returns when the stage has been filled, and what a producer waits for, when all consumers have released it; both order the
/// accesses before behind themselves.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not tell the parts of a pipeline of its stages",
    label = "neither mbarriers nor named barriers",
    note = "it is `()`, mbarriers of this CTA, where nothing else is said, or `BarrierPair<FULL, EMPTY, PRODUCERS, CONSUMERS>`; of what `pipeline.multicast(…)` gives it is the group: a `Group`, or for a pair of tiles a pair"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait StageSignals: StageMbarriers + Copy {
    /// The threads that produce, as each of them holds them.
    type Producers<'p>: fmt::Debug;
    /// The signals of the same CTA where no tiles are in common.
    type Own: CtaSignals;
    /// Traps where a CTA of so many threads lacks a part.
    #[doc(hidden)]
    fn check(threads: u32);
    /// How many arrivals at `empty` of a stage there are for each warp of consumers of this CTA.
    #[doc(hidden)]
    const RELEASES: u32;
    /// Whether the thread of that rank produces.
    #[doc(hidden)]
    fn produces(rank: u32) -> bool;
    /// The producers, for the one of that rank in the CTA.
    ///
    /// # Safety
    ///
    /// The executing thread is that one, and `'p` is the part's alone.
    #[doc(hidden)]
    unsafe fn producers<'p>(rank: u32) -> Self::Producers<'p>;
    /// The rank in the CTA of the first consumer.
    #[doc(hidden)]
    const FIRST_CONSUMER: u32;
    /// How many threads consume, where the type says it; else all behind the first.
    #[doc(hidden)]
    const CONSUMERS: Option<u32>;
    /// What the consumers do before the first stage.
    ///
    /// # Safety
    ///
    /// All consumers call this once in a run.
    #[doc(hidden)]
    unsafe fn begin_consuming(&self);
    /// Waits until the stage of the mbarrier `full` is full.
    ///
    /// # Safety
    ///
    /// A consumer calls this. The mbarrier is valid, if stages have any, and in the phase of that parity or in the next.
    #[doc(hidden)]
    unsafe fn await_full(&self, full: u32, parity: u32);
    /// Tells the producers that a warp of consumers has read the stage of the mbarrier `empty`.
    ///
    /// # Safety
    ///
    /// The consumers of the warp call this from the same place, once for each stage that they have waited for. `rank` is the rank among the
    /// consumers. The mbarrier is valid, if stages have any.
    #[doc(hidden)]
    unsafe fn release(&self, rank: u32, empty: u32);
    /// What the producers do behind the last stage: nothing that they have started is under way then.
    ///
    /// # Safety
    ///
    /// All producers call this once in a run.
    #[doc(hidden)]
    unsafe fn drain<S: StageTiles, const STAGES: usize>(&self, base: u32, at: Cursor);
}

/// [`StageSignals`] of a CTA to itself.
///
/// # Safety
///
/// Implemented here only: no other CTA fills or releases a stage.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not tell the parts of one CTA of stages",
    label = "these are signals of a cluster, or none",
    note = "the memory of a pipeline is declared as `PipelineMemory<S, STAGES>`, or with a `BarrierPair`; where CTAs have tiles in common, `pipeline.multicast(group)` says so, and the cluster runs it"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait CtaSignals: StageSignals {
    /// The named barriers.
    #[doc(hidden)]
    const BARRIERS: u16;
    #[doc(hidden)]
    const NEW: Self;
}

// SAFETY: copies end the phase of `full`, consumers that of `empty`.
unsafe impl<G: Sharing> StageMbarriers for G {
    const MBARRIERS: u32 = 2;
}

// SAFETY: `()` is of no CTA but this (`Sharing`).
unsafe impl CtaSignals for () {
    const BARRIERS: u16 = 0;
    const NEW: Self = ();
}

/// Waits for the phase of that parity, which copies or threads of all CTAs of `G` complete.
///
/// # Safety
///
/// The mbarrier is valid, and in this phase or in the next.
#[inline(always)]
unsafe fn await_phase<G: Sharing>(bar: u32, parity: u32, hint: impl MbarrierSuspendTimeHint + Copy) {
    // SAFETY: the caller's.
    unsafe {
        if G::CTAS == 0 {
            await_parity(scope::Cta, bar, parity, hint);
        } else {
            await_parity(scope::Cluster, bar, parity, hint);
        }
    }
}

// SAFETY: the thread of rank 0 produces, the warps after the first consume. Copies end the phase of `full` when all bytes of the stage are there;
// one arrival of each warp of consumers, behind its barrier, ends that of `empty`. Releases and acquires have the scope of the CTAs of `G`.
unsafe impl<G: Sharing> StageSignals for G {
    type Producers<'p> = Thread<'p>;
    type Own = ();
    // An arrival of each warp that consumes, in each CTA that has tiles in common with this.
    const RELEASES: u32 = if G::CTAS == 0 { 1 } else { G::CTAS };
    const FIRST_CONSUMER: u32 = WARP;
    const CONSUMERS: Option<u32> = None;

    #[inline(always)]
    fn check(threads: u32) {
        if threads <= WARP || !threads.is_multiple_of(WARP) {
            trap();
        }
    }

    #[inline(always)]
    fn produces(rank: u32) -> bool {
        rank == 0
    }

    #[inline(always)]
    unsafe fn producers<'p>(_rank: u32) -> Thread<'p> {
        // SAFETY: the caller's.
        unsafe { Thread::of_part() }
    }

    #[inline(always)]
    unsafe fn begin_consuming(&self) {}

    #[inline(always)]
    unsafe fn await_full(&self, full: u32, parity: u32) {
        // SAFETY: the caller's.
        unsafe { await_phase::<G>(full, parity, suspend_time_hint::None) };
    }

    #[inline(always)]
    unsafe fn release(&self, rank: u32, empty: u32) {
        // Behind it all lanes have read: by the contract of `enter` it meets no other call of the warp.
        // SAFETY: consumers are of whole warps, so the executing thread is in the mask.
        unsafe { raw::bar_warp_sync(u32::MAX) };
        let lane = rank % WARP;
        if lane >= Self::RELEASES {
            return;
        }
        if G::CTAS == 0 {
            // SAFETY: valid; the warp's one arrival of the phase: the next needs the stage loaded again, which the
            // producer does after its wait for this phase.
            unsafe { raw::mbarrier_arrive(sem::Release, scope::Cta, space::SharedCta, empty, arrivals::One) };
        } else {
            // SAFETY: valid in every CTA of the cluster, alive in the scope, at the same place; the warp's arrival of the
            // phase there for this group: the next needs the stage loaded again, to which each producer of the
            // group brings its part after its wait for this phase.
            unsafe {
                let bar = raw::mapa_shared_cluster(empty, self.cta(lane));
                raw::mbarrier_arrive_shared_cluster(sem::Release, scope::Cluster, bar, arrivals::One);
            }
        }
    }

    #[inline(always)]
    unsafe fn drain<S: StageTiles, const STAGES: usize>(&self, base: u32, mut at: Cursor) {
        let mut stages = STAGES as u32;
        while stages > 0 {
            let full = Layout::<S, STAGES, G>::full(base, at.stage);
            // SAFETY: valid. From here on, stages were last loaded in the round before, and after the wrap in this one; a
            // stage never loaded is in its first phase, and the one before counts as complete, as in `load`.
            unsafe { await_phase::<G>(full, at.parity ^ 1, suspend_time_hint::None) };
            at.advance::<STAGES>();
            stages = rolled(stages - 1);
        }
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

/// The part of the threads that fill stages: one thread, which loads, or in a [`BarrierPair`](super::BarrierPair) the first warps, which write.
///
/// ```
/// # use ptx::{global::Tiles, launch::Thread, pipeline::Producer};
/// fn produce<'p>(
///     thread: &Thread<'p>,
///     mut producer: Producer<'p, [f32; 512], 4>,
///     x: Tiles<f32, 512>,
/// ) -> Producer<'p, [f32; 512], 4> {
///     let mut i = 0;
///     while let Some(tile) = x.get(i) {
///         (producer, i) = (producer.load(thread, tile), i + 1);
///     }
///     producer
/// }
/// ```
#[must_use = "the closure has to return this handle: keep it"]
#[derive(Debug)]
pub struct Producer<'p, S, const STAGES: usize, V = ()> {
    pub(super) base: u32,
    at: Cursor,
    signals: V,
    _run: Invariant<'p>,
    _tiles: PhantomData<*mut S>,
}

static_assertions::assert_not_impl_any!(Producer<'static, [u32; 4], 2>: Copy, Clone, Send, Sync);

/// The part of the threads that compute: whole warps, which read stages that are full.
///
/// ```
/// # use ptx::{launch::Warps, pipeline::Consumer};
/// fn consume<'p>(
///     warps: &Warps<'p>,
///     mut consumer: Consumer<'p, [f32; 512], 4>,
///     tiles: usize,
/// ) -> Consumer<'p, [f32; 512], 4> {
///     for _ in 0..tiles {
///         let tile = consumer.wait(warps);
///         // Here `tile.get(…)` reads it.
///         consumer = tile.release(warps);
///     }
///     consumer
/// }
/// ```
#[must_use = "the closure has to return this handle: keep it"]
#[derive(Debug)]
pub struct Consumer<'p, S, const STAGES: usize, V = ()> {
    base: u32,
    at: Cursor,
    signals: V,
    _run: Invariant<'p>,
    _tiles: PhantomData<*mut S>,
}

static_assertions::assert_not_impl_any!(Consumer<'static, [u32; 4], 2>: Copy, Clone, Send, Sync);

/// A stage that is full, as a consumer holds it.
///
/// ```
/// # use ptx::{launch::Warps, pipeline::FullStage};
/// // A consumer's share of the tile.
/// fn sum(warps: &Warps, tile: &FullStage<'_, [u32; 512], 4>) -> u32 {
///     let own = (warps.thread_rank()..512).step_by(warps.thread_count() as usize);
///     own.filter_map(|i| tile.get(i as usize)).fold(0, u32::wrapping_add)
/// }
/// ```
#[must_use = "the producer waits for the stage: call `.release(&warps)`"]
#[derive(Debug)]
pub struct FullStage<'p, S, const STAGES: usize, V = ()>(Consumer<'p, S, STAGES, V>);

static_assertions::assert_not_impl_any!(FullStage<'static, [u32; 4], 2>: Copy, Clone, Send, Sync);

impl<'p, S: StageTiles, const STAGES: usize, V: StageSignals> Producer<'p, S, STAGES, V> {
    /// At the first stage, which is empty.
    ///
    /// # Safety
    ///
    /// Each producer gets one in a run, `'p` is the run's alone, and in it nothing else fills the stages at `base`. Their mbarriers are valid.
    #[inline(always)]
    pub(super) unsafe fn new(base: u32, signals: V) -> Self {
        Producer { base, at: Cursor::START, signals, _run: PhantomData, _tiles: PhantomData }
    }

    /// Waits for what is under way.
    #[inline(always)]
    pub(super) fn drain(self) {
        // SAFETY: the run has one handle for each producer, which this ends.
        unsafe { self.signals.drain::<S, STAGES>(self.base, self.at) };
    }
}

impl<'p, S: StageTiles, const STAGES: usize, G: Sharing> Producer<'p, S, STAGES, G> {
    /// Waits until the next stage is empty and starts to load `src` into it: a tile of global memory, or a part of a tensor of as
    /// many elements; for a stage of two tiles, a pair. Of a [`multicast`](super::Pipeline::multicast) the CTAs of a group load
    /// the same tile of global memory, but each its own part of a tensor, of `N / CTAS` elements: the first of the tile that of
    /// rank 0.
    ///
    /// Collective in the group.
    ///
    /// PTX: repeated while false: `mbarrier.try_wait.parity.acquire.cta.shared::cta.b64
    /// waitComplete, [empty], parity;`, then `mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 state, [full], bytes;`
    /// and for each tile `cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [tile], [src], bytes, [full];` or
    /// `cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [tile], [map, {x, y}], [full];` in the
    /// rank and the mode of the map. Of a [`multicast`](super::Pipeline::multicast) each copies this CTA's part, and has
    /// `.shared::cluster` for the first `.shared::cta`, `.multicast::cluster` and the mask of the group.
    ///
    /// ```
    /// # use ptx::{global::GlobalTile, launch::Thread, pipeline::Producer, tensor::{Box2, TensorMap}};
    /// # type Tile = GlobalTile<f32, 512>;
    /// # fn produce<'p>(thread: &Thread<'p>, producer: Producer<'p, [f32; 512], 4>, x: Tile, y: Tile)
    /// # -> Producer<'p, [f32; 512], 4> {
    /// let producer = producer.load(thread, x).load(thread, y); // into two stages
    /// # producer
    /// # }
    ///
    /// fn products<'p>(
    ///     thread: &Thread<'p>,
    ///     mut producer: Producer<'p, ([f32; 2048], [f32; 512]), 4>,
    ///     a: TensorMap<f32, Box2<64, 32>>,
    ///     b: Tile,
    /// ) -> Producer<'p, ([f32; 2048], [f32; 512]), 4> {
    ///     for y in 0..4 {
    ///         producer = producer.load(thread, (a.box_at([0, y]), b)); // both into one stage
    ///     }
    ///     producer
    /// }
    /// ```
    #[inline(always)]
    pub fn load<Src: StageSource<S, G>>(mut self, _thread: &Thread<'p>, src: Src) -> Self {
        const { Src::FITS };
        let Cursor { stage, parity } = self.at;
        let full = Layout::<S, STAGES, G>::full(self.base, stage);
        let empty = Layout::<S, STAGES, G>::empty(self.base, stage);
        // SAFETY: valid. The releases that free the stage end the phase of the round before, whose parity is the other; it
        // is the current phase or the one before, since the next releases need this load. In the first round it is
        // the phase before the first, which counts as complete: assumed in docs/SOUNDNESS.md.
        unsafe { await_phase::<G>(empty, parity ^ 1, suspend_time_hint::None) };
        // SAFETY: valid; this thread makes the one arrival of the phase, and consumers have waited for the phase
        // before when they released the stage. The copies below, and those of the other CTAs, bring the bytes.
        unsafe { Layout::<S, STAGES, G>::expect(full) };
        // SAFETY: the stage is empty in every CTA that has tiles in common with this, and aligned to 128 bytes, as is each tile in
        // it; the run ends after the copies.
        unsafe {
            src.load(Layout::<S, STAGES, G>::stage(self.base, stage), self.signals, full, cache_hint::None)
        };
        self.at.advance::<STAGES>();
        self
    }
}

impl<'p, S: StageTiles, const STAGES: usize, V: StageSignals> Consumer<'p, S, STAGES, V> {
    /// Before the first stage.
    ///
    /// # Safety
    ///
    /// As of [`Producer::new`], for each consumer.
    #[inline(always)]
    pub(super) unsafe fn new(base: u32, signals: V) -> Self {
        Consumer { base, at: Cursor::START, signals, _run: PhantomData, _tiles: PhantomData }
    }

    /// Waits until the next stage is full.
    ///
    /// Collective in the warp.
    ///
    /// PTX, repeated while false: `mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 waitComplete, [full], parity;`; by a
    /// [`BarrierPair`](super::BarrierPair) `barrier.cta.sync.aligned FULL, THREADS;`
    ///
    /// ```
    /// # use ptx::{launch::Warps, pipeline::Consumer};
    /// # fn consume<'p>(warps: &Warps<'p>, consumer: Consumer<'p, [f32; 512], 4>) -> Consumer<'p, [f32; 512], 4> {
    /// let tile = consumer.wait(warps);
    /// let x = tile.get(0);
    /// tile.release(warps)
    /// # }
    /// ```
    #[inline(always)]
    pub fn wait<B>(self, _warps: &Warps<'p, B>) -> FullStage<'p, S, STAGES, V> {
        let full = Layout::<S, STAGES, V>::full(self.base, self.at.stage);
        // SAFETY: valid; the phase of this parity is the current or the one before: the stage is not filled again before
        // this thread releases it.
        unsafe { self.signals.await_full(full, self.at.parity) };
        FullStage(self)
    }
}

impl<'p, S: StageTiles, const STAGES: usize, G: Sharing> Consumer<'p, S, STAGES, G> {
    /// [`wait`](Consumer::wait) whose tries may each last `nanoseconds`, for waits known to be long.
    ///
    /// Collective in the warp.
    ///
    /// PTX, repeated while false: `mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 waitComplete, [full], parity,
    /// suspendTimeHint;`
    ///
    /// ```
    /// # use ptx::{launch::Warps, pipeline::Consumer};
    /// # fn consume<'p>(warps: &Warps<'p>, consumer: Consumer<'p, [f32; 512], 4>) -> Consumer<'p, [f32; 512], 4> {
    /// let tile = consumer.wait_suspended(warps, 10_000); // 10 µs a try at most
    /// # tile.release(warps)
    /// # }
    /// ```
    #[inline(always)]
    pub fn wait_suspended<B>(self, _warps: &Warps<'p, B>, nanoseconds: u32) -> FullStage<'p, S, STAGES, G> {
        let full = Layout::<S, STAGES, G>::full(self.base, self.at.stage);
        // SAFETY: as in `wait`.
        unsafe { await_phase::<G>(full, self.at.parity, suspend_time_hint::Nanoseconds(nanoseconds)) };
        FullStage(self)
    }
}

impl<'p, S: StageTiles, const STAGES: usize, V: StageSignals> FullStage<'p, S, STAGES, V> {
    /// The tile, or the pair of tiles.
    ///
    /// Not collective.
    ///
    /// ```
    /// # use ptx::pipeline::FullStage;
    /// # fn consume(stage: &FullStage<'_, ([f32; 512], [u32; 64]), 4>) {
    /// let (values, indices) = stage.tiles();
    /// let value = indices.get(0).and_then(|i| values.get(i as usize));
    /// # }
    /// ```
    #[inline(always)]
    pub fn tiles(&self) -> S::View<'_> {
        // SAFETY: they are there, and this thread does not release the stage while it is borrowed.
        unsafe { S::view(Layout::<S, STAGES, V>::stage(self.0.base, self.0.at.stage)) }
    }

    /// Gives the stage back to the producers, when all threads of the warp have read it. The threads of the warp call `release` in one order with
    /// their calls of a [`Warp`](crate::warp::Warp).
    ///
    /// Collective in the warp.
    ///
    /// PTX: `bar.warp.sync 0xffffffff;`, then by lane 0 `mbarrier.arrive.release.cta.shared::cta.b64 state, [empty];`, of a
    /// [`multicast`](super::Pipeline::multicast) by as many lanes as CTAs have tiles in common `mapa.shared::cluster.u32 bar, empty, cta;`
    /// `mbarrier.arrive.release.cluster.shared::cluster.b64 _, [bar];`; by a [`BarrierPair`](super::BarrierPair)
    /// `barrier.cta.arrive.aligned EMPTY, THREADS;` alone
    ///
    /// ```
    /// # use ptx::{launch::Warps, pipeline::{FullStage, Consumer}};
    /// # fn consume<'p>(warps: &Warps<'p>, tile: FullStage<'p, [f32; 512], 4>) -> Consumer<'p, [f32; 512], 4> {
    /// let x = tile.get(0);
    /// let consumer = tile.release(warps); // the producer may load the stage again
    /// # consumer
    /// # }
    /// ```
    #[inline(always)]
    pub fn release<B>(self, warps: &Warps<'p, B>) -> Consumer<'p, S, STAGES, V> {
        let mut consumer = self.0;
        let empty = Layout::<S, STAGES, V>::empty(consumer.base, consumer.at.stage);
        // SAFETY: this ends the handle that came from the wait.
        unsafe { consumer.signals.release(warps.thread_rank(), empty) };
        consumer.at.advance::<STAGES>();
        consumer
    }
}

impl<T: Element, const N: usize, const STAGES: usize, V: StageSignals> FullStage<'_, [T; N], STAGES, V> {
    /// Element `i` of the tile, or `None` past the end.
    ///
    /// Not collective.
    ///
    /// PTX: `ld.weak.shared::cta`
    ///
    /// ```
    /// # use ptx::pipeline::FullStage;
    /// # fn consume(tile: &FullStage<'_, [f32; 512], 4>) {
    /// let (first, none) = (tile.get(0), tile.get(512));
    /// # }
    /// ```
    #[inline(always)]
    pub fn get(&self, i: usize) -> Option<T> {
        self.tiles().get(i)
    }

    /// The sixteen bytes that start at byte `16 * i`, or `None` past the end.
    ///
    /// Not collective.
    ///
    /// PTX: `ld.weak.shared::cta.v4.b32`, or `.v2.b64`, or `.b128` ([`Element::Vector`])
    ///
    /// ```
    /// # use ptx::{launch::Warps, pipeline::FullStage};
    /// # fn consume(warps: &Warps, tile: &FullStage<'_, [f32; 512], 4>) {
    /// if let Some([a, b, c, d]) = tile.get_vector(warps.thread_rank() as usize) {
    ///     let sum = a + b + c + d;
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn get_vector(&self, i: usize) -> Option<T::Vector> {
        self.tiles().get_vector(i)
    }
}
