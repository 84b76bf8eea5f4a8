//! Rings: pipelines in which all threads of the CTA both produce and consume. The leader loads and stores.

use core::marker::PhantomData;

use super::layout::{Cursor, Layout, StageMbarriers};
use super::stage::StageTiles;
use crate::global::{Tiles, TilesMut};
use crate::group::Brand;
use crate::group::Cta;
use crate::mark::{deal, hold};
use crate::mbarrier::await_parity;
use crate::qualifier::{cache_hint, cp_mask, scope, sem, suspend_time_hint};
use crate::raw;
use crate::shared::{
    ALIGN, Element, Ended, Lendable, Place, Scoped, fence_async, for_each_vector, whole_vectors,
};
use crate::size;
use crate::trap::trap_because;

/// The shared memory of a ring, a multi-stage pipeline of the whole CTA with `STAGES` stages: a field in
/// [`shared_memory!`](crate::shared_memory). A `Tile` is `[T; N]`. A stage has `INPUTS` input tiles, one if it is left out, and one
/// in-out tile, and an mbarrier.
#[derive(Debug)]
#[doc(alias = "cuda::pipeline_shared_state")]
pub struct RingMemory<Tile, const STAGES: usize, const INPUTS: usize = 1> {
    addr: u32,
    _tiles: PhantomData<*mut Tile>,
}

// SAFETY: the stages and one mbarrier per stage take `Layout::BYTES` bytes from `addr` on.
unsafe impl<T: Element, const N: usize, const INPUTS: usize, const STAGES: usize> Place
    for RingMemory<[T; N], STAGES, INPUTS>
{
    const SIZE: u32 = RingLayout::<T, N, INPUTS, STAGES>::BYTES;
    const ALIGN: u32 = ALIGN;

    #[inline(always)]
    unsafe fn at(addr: u32) -> Self {
        RingMemory { addr, _tiles: PhantomData }
    }
}

// SAFETY: an `IdleRing` has no copy in flight and no valid mbarrier, and `open` makes one `IdleRing` per scope.
unsafe impl<T: Element, const N: usize, const INPUTS: usize, const STAGES: usize> Scoped
    for RingMemory<[T; N], STAGES, INPUTS>
{
    type InScope<'s> = IdleRing<'s, [T; N], STAGES, INPUTS>;
    type Ended<'s> = Ended<'s, Self>;
    const USED_BY_PEERS: bool = false;
    #[inline(always)]
    unsafe fn open<'s>(self) -> Self::InScope<'s> {
        IdleRing { addr: self.addr, _scope: PhantomData, _tiles: PhantomData }
    }
    #[inline(always)]
    unsafe fn give_back(lent: Self::InScope<'_>) -> Self {
        RingMemory { addr: lent.addr, _tiles: PhantomData }
    }
}

// SAFETY: the memory is at rest, and its ring initializes the mbarriers.
unsafe impl<T: Element, const N: usize, const INPUTS: usize, const STAGES: usize> Lendable
    for RingMemory<[T; N], STAGES, INPUTS>
{
}

/// The contents of a stage of a ring: a tile of each input, then the in-out tile.
struct RingStage<T, const N: usize, const INPUTS: usize>(PhantomData<T>);

impl<T: Element, const N: usize, const INPUTS: usize> RingStage<T, N, INPUTS> {
    /// Each tile is aligned as a `SharedArray` is.
    const TILE: usize = size::aligned(size::bytes::<T, N>(), ALIGN);
    const TILES: usize = size::sum(INPUTS, 1);
}

// SAFETY: `SIZE` holds all tiles one after the other, each aligned.
unsafe impl<T: Element, const N: usize, const INPUTS: usize> StageTiles for RingStage<T, N, INPUTS> {
    const BYTES: usize = size::product([Self::TILES, size::bytes::<T, N>()]);
    const SIZE: usize = size::product([Self::TILES, Self::TILE]);
    type View<'a> = ();
    #[inline(always)]
    unsafe fn view<'a>(_addr: u32) -> Self::View<'a> {}
}

/// The mbarriers of a ring's stage: `full` alone. A barrier of the CTA signals that a stage is empty.
#[derive(Debug)]
enum FullAlone {}
// SAFETY: copies complete the phases of `full`; a stage has no `empty`.
unsafe impl StageMbarriers for FullAlone {
    const MBARRIERS: u32 = 1;
}

type RingLayout<T, const N: usize, const INPUTS: usize, const STAGES: usize> =
    Layout<RingStage<T, N, INPUTS>, STAGES, FullAlone>;

/// A ring, the multi-stage pipeline of a whole CTA, with nothing in flight: no load, and no store that still reads a stage.
/// [`update_all`](IdleRing::update_all) processes all tiles in one call. Its steps are:
///
/// ```
/// use ptx::{global::{Tiles, TilesMut}, group::Cta, pipeline::{NextStage, RingMemory}};
/// // Four stages of two tiles: one of an input, one in-out.
/// ptx::shared_memory! { struct Smem { ring: RingMemory<[f32; 512], 4> } }
/// # fn kernel(cta: Cta, smem: Smem, x: Tiles<f32, 512>, y: TilesMut<f32, 512>) {
/// cta.finish(smem.ring, |cta, idle| {
///     let mut ring = idle.start(cta, [x], y);
///     loop {
///         match ring.wait(cta) {
///             NextStage::Full(full) => ring = full.update(cta, |[x], y| x + y).store(cta).refill(cta),
///             NextStage::Done(done) => return done.end(),
///         }
///     }
/// });
/// # }
/// ```
#[must_use = "the body of the scope must return this handle"]
#[derive(Debug)]
#[doc(alias = "cuda::make_pipeline")]
pub struct IdleRing<'s, Tile, const STAGES: usize, const INPUTS: usize = 1> {
    addr: u32,
    _scope: Brand<'s>,
    _tiles: PhantomData<*mut Tile>,
}

/// A ring, the multi-stage pipeline of a whole CTA, with loads in flight (`cp.async.bulk`): into all `STAGES` stages, or as many
/// as tiles remain.
#[must_use = "copies are in flight: call `.wait(&cta)` or `.finish(&cta)`"]
#[derive(Debug)]
#[doc(alias = "cuda::pipeline")]
pub struct Ring<'s, Tile, const STAGES: usize, const INPUTS: usize = 1> {
    addr: u32,
    /// The address of the first mbarrier. Computing it from `addr` takes two more instructions per round.
    bars: u32,
    /// The stage to wait for.
    at: Cursor,
    /// The index of the tile in that stage, the end of the tiles, and the distance between two tiles of this CTA.
    index: usize,
    count: usize,
    step: usize,
    /// Tile `index` of each input.
    inputs: [*const Tile; INPUTS],
    in_out: *mut Tile,
    _scope: Brand<'s>,
}

/// The result of [`Ring::wait`]: a full stage, or the end of the tiles.
#[must_use = "this enum holds the ring: `match` on it"]
#[derive(Debug)]
pub enum NextStage<'s, Tile, const STAGES: usize, const INPUTS: usize = 1> {
    /// The next tiles have arrived.
    Full(FullRing<'s, Tile, STAGES, INPUTS>),
    /// All tiles are processed, and every store has read its stage. The stored data is in global memory when the grid ends.
    Done(FinishedRing<'s, Tile, STAGES, INPUTS>),
}

/// A ring that has processed its tiles. The leader has waited until the stores have read their stages; the mbarriers are still
/// valid. [`end`](FinishedRing::end) it at the end of the kernel, or [`join`](FinishedRing::join) the threads to use it again.
#[must_use = "the scope needs the ring: call `.end()`, or `.join(cta)` to use the ring again"]
#[derive(Debug)]
pub struct FinishedRing<'s, Tile, const STAGES: usize, const INPUTS: usize = 1> {
    addr: u32,
    bars: u32,
    _scope: Brand<'s>,
    _tiles: PhantomData<*mut Tile>,
}

/// A ring whose current stage the loads have filled with tiles: go on with [`update`](FullRing::update).
#[must_use = "the stage is full: call `.update(&cta, …)`"]
#[derive(Debug)]
pub struct FullRing<'s, Tile, const STAGES: usize, const INPUTS: usize = 1>(Ring<'s, Tile, STAGES, INPUTS>);

/// A ring whose current stage the threads have updated in shared memory: go on with [`store`](UpdatedRing::store).
#[must_use = "the stage is updated: call `.store(&cta)`"]
#[derive(Debug)]
pub struct UpdatedRing<'s, Tile, const STAGES: usize, const INPUTS: usize = 1>(
    Ring<'s, Tile, STAGES, INPUTS>,
);

/// A ring whose current stage a bulk copy is storing to global memory: go on with [`refill`](StoringRing::refill). The copy reads
/// the stage meanwhile.
#[must_use = "the store is in flight: call `.refill(&cta)`"]
#[derive(Debug)]
pub struct StoringRing<'s, Tile, const STAGES: usize, const INPUTS: usize = 1>(
    Ring<'s, Tile, STAGES, INPUTS>,
);

impl<'s, T: Element, const N: usize, const INPUTS: usize, const STAGES: usize>
    IdleRing<'s, [T; N], STAGES, INPUTS>
{
    /// Initializes the mbarriers of this ring and starts the loads into its stages (TMA: `cp.async.bulk`). The ring then streams
    /// this CTA's tiles of `in_out` ([`GlobalMut::tiles`](crate::global::GlobalMut::tiles)), each with the tiles of the same
    /// index of `inputs` ([`Global::tiles`](crate::global::Global::tiles)). Traps if an input has fewer tiles than `in_out`.
    ///
    /// Collective in the CTA.
    ///
    /// PTX by the leader: for each stage `mbarrier.init.shared::cta.b64`; `fence.mbarrier_init.release.cluster;`
    /// `fence.proxy.async.shared::cta;`; for each stage `mbarrier.arrive.expect_tx.release.cta.shared::cta.b64`, for each tile
    /// `cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes`. By every thread: `barrier.cta.sync.aligned 0;`
    #[inline(always)]
    #[track_caller]
    pub fn start(
        self,
        cta: &Cta,
        inputs: [Tiles<T, N>; INPUTS],
        in_out: TilesMut<T, N>,
    ) -> Ring<'s, [T; N], STAGES, INPUTS> {
        const {
            whole_vectors::<T, N>();
            RingLayout::<T, N, INPUTS, STAGES>::check();
        }
        hold::<Cta>(self.addr);
        deal::<Cta, _>(in_out.base);
        hold::<Cta>(in_out.next as u32);
        if inputs.iter().any(|input| input.count < in_out.count) {
            trap_because!("an input of the `Ring` has fewer tiles than the output")
        }
        let ring = Ring {
            addr: self.addr,
            bars: RingLayout::<T, N, INPUTS, STAGES>::full(self.addr, 0),
            at: Cursor::START,
            index: in_out.next,
            count: in_out.count,
            step: in_out.step,
            inputs: inputs.map(|input| input.base.wrapping_add(in_out.next * N).cast()),
            in_out: in_out.base.wrapping_add(in_out.next * N).cast(),
            _scope: PhantomData,
        };
        if cta.is_leader() {
            // SAFETY: the ring owns the memory, which is idle, and an idle ring holds no valid mbarrier.
            unsafe { RingLayout::<T, N, INPUTS, STAGES>::init(self.addr, 0) };
            let mut stage = 0;
            while stage < STAGES && ring.has(stage) {
                // SAFETY: this is the first load into the stage, and tile `stage` is in bounds.
                unsafe { ring.load(stage as u32, stage) };
                stage += 1;
            }
        }
        // Shows the mbarriers to the other threads before they wait.
        cta.sync();
        ring
    }

    /// Replaces each element `y` of this CTA's tiles of `in_out` by `f([x, …], y)`, where the `x` are the elements at the same
    /// place of `inputs`. Loads, computation and stores overlap. Traps if an input has fewer tiles than `in_out`.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: as [`start`](IdleRing::start); for each tile as [`wait`](Ring::wait), [`update`](FullRing::update),
    /// [`store`](UpdatedRing::store) and [`refill`](StoringRing::refill); at the end `cp.async.bulk.wait_group.read 0;` by the
    /// leader
    ///
    /// ```
    /// # use ptx::{global::{Tiles, TilesMut}, group::Cta, pipeline::RingMemory};
    /// # fn kernel(cta: Cta, memory: RingMemory<[f32; 512], 4, 2>, a: Tiles<f32, 512>, b: Tiles<f32, 512>,
    /// #     y: TilesMut<f32, 512>) {
    /// cta.finish(memory, |cta, ring| ring.update_all(cta, [a, b], y, |[a, b], y| a * b + y).end());
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn update_all(
        self,
        cta: &Cta,
        inputs: [Tiles<T, N>; INPUTS],
        in_out: TilesMut<T, N>,
        mut f: impl FnMut([T; INPUTS], T) -> T,
    ) -> FinishedRing<'s, [T; N], STAGES, INPUTS> {
        let mut ring = self.start(cta, inputs, in_out);
        while ring.has(0) {
            ring.wait_stage();
            ring = FullRing(ring).update(cta, &mut f).0.store_and_refill(cta);
        }
        ring.finished(cta)
    }
}

impl<'s, T: Element, const N: usize, const INPUTS: usize, const STAGES: usize>
    Ring<'s, [T; N], STAGES, INPUTS>
{
    #[inline(always)]
    fn tile(&self, stage: u32, tile: usize) -> u32 {
        RingLayout::<T, N, INPUTS, STAGES>::stage(self.addr, stage)
            + tile as u32 * const { size::shared(RingStage::<T, N, INPUTS>::TILE) }
    }

    #[inline(always)]
    fn bar(&self, stage: u32) -> u32 {
        self.bars + 8 * stage
    }

    /// Returns whether this CTA has a tile `ahead` tiles after the current one.
    #[inline(always)]
    fn has(&self, ahead: usize) -> bool {
        self.index + ahead * self.step < self.count
    }

    /// Loads the tiles that come `ahead` tiles after the current ones into `stage`.
    ///
    /// # Safety
    ///
    /// 1. One thread calls this, and such tiles exist.
    /// 2. The stage is free, and every thread has waited for the previous phase of its mbarrier.
    #[inline(always)]
    unsafe fn load(&self, stage: u32, ahead: usize) {
        let (bar, offset) = (self.bar(stage), ahead * self.step * N);
        // SAFETY: the mbarrier is valid, and this is its one arrival in the phase, for the bytes of the copies below. The tile
        // types prove sizes and alignment, and `start` checks the bounds. An in-out tile is stored once, after its load; no
        // thread writes an input. No scope ends with a ring in flight.
        unsafe {
            RingLayout::<T, N, INPUTS, STAGES>::expect(bar);
            for (i, input) in self.inputs.iter().enumerate() {
                let src = input.cast::<T>().wrapping_add(offset).cast();
                raw::cp_async_bulk_shared_cta_global(
                    self.tile(stage, i),
                    src,
                    const { size::shared(size::bytes::<T, N>()) },
                    bar,
                    cache_hint::None,
                );
            }
            let src = self.in_out.cast::<T>().wrapping_add(offset).cast_const().cast();
            raw::cp_async_bulk_shared_cta_global(
                self.tile(stage, INPUTS),
                src,
                const { size::shared(size::bytes::<T, N>()) },
                bar,
                cache_hint::None,
            );
        }
    }

    /// Starts the store of the current stage's in-out tile.
    ///
    /// # Safety
    ///
    /// One thread calls this, once per stage, after a barrier. Before that barrier, every thread that has written the stage has
    /// executed a proxy fence.
    #[inline(always)]
    unsafe fn start_store(&self) {
        // SAFETY: the tile types prove size and alignment. The destination is this CTA's tile, after its load, and the async
        // proxy sees the threads' stores (`# Safety`). `start_refill` and `await_stores` wait until the store has read the stage.
        unsafe {
            raw::cp_async_bulk_global_shared_cta(
                self.in_out.cast(),
                self.tile(self.at.stage, INPUTS),
                const { size::shared(size::bytes::<T, N>()) },
                cache_hint::None,
                cp_mask::None,
            );
            raw::cp_async_bulk_commit_group();
        }
    }

    /// Loads the current stage again, if a tile remains for it.
    ///
    /// # Safety
    ///
    /// The thread that started the stage's store calls this, after the store.
    #[inline(always)]
    unsafe fn start_refill(&self) {
        if self.has(STAGES) {
            // SAFETY: the wait shows that the store has read the stage. The barrier before the store came after every thread's
            // wait for the stage's phase and its reads of the inputs.
            unsafe {
                raw::cp_async_bulk_wait_group_read::<0>();
                self.load(self.at.stage, STAGES);
            }
        }
    }

    /// [`store`](UpdatedRing::store) and [`refill`](StoringRing::refill) with one branch for the leader.
    #[inline(always)]
    #[track_caller]
    fn store_and_refill(mut self, cta: &Cta) -> Self {
        fence_async(cta);
        if cta.is_leader() {
            // SAFETY: `fence_async` is the fence and the barrier after `update`. The leader alone starts the store, then the
            // refill.
            unsafe {
                self.start_store();
                self.start_refill();
            }
        }
        self.advance();
        self
    }

    #[inline(always)]
    fn wait_stage(&self) {
        // SAFETY: `load` has armed this phase, whose parity is `parity`. `load` arms the next phase after a barrier that follows
        // this wait in every thread, or never.
        unsafe {
            await_parity(
                sem::Acquire,
                scope::Cta,
                self.bar(self.at.stage),
                self.at.parity,
                suspend_time_hint::None,
            )
        };
    }

    #[inline(always)]
    fn advance(&mut self) {
        self.at.advance::<STAGES>();
        self.index += self.step;
        for input in &mut self.inputs {
            *input = input.cast::<T>().wrapping_add(self.step * N).cast();
        }
        self.in_out = self.in_out.cast::<T>().wrapping_add(self.step * N).cast();
    }

    /// Waits until the loads into the ring's current stage have arrived (`mbarrier.try_wait`). When no tile remains, the
    /// leader waits until the last stores have read their stages, and the ring is finished; the stored data is in global memory
    /// when the grid ends.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: while there are tiles, repeated while false:
    /// `mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 waitComplete, [bar], parity;`; then, once: by the leader
    /// `cp.async.bulk.wait_group.read 0;`
    #[inline(always)]
    #[track_caller]
    pub fn wait(self, cta: &Cta) -> NextStage<'s, [T; N], STAGES, INPUTS> {
        meet!(cta; self.addr);
        if !self.has(0) {
            return NextStage::Done(self.finished(cta));
        }
        self.wait_stage();
        NextStage::Full(FullRing(self))
    }

    /// Ends this ring early: waits for all loads in flight, and in the leader until every store has read its stage. The remaining
    /// tiles are not processed.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: a stage in flight: as [`wait`](Ring::wait); by the leader `cp.async.bulk.wait_group.read 0;`
    ///
    /// ```
    /// # use ptx::{group::Cta, pipeline::{IdleRing, Ring, NextStage}};
    /// # fn kernel<'s>(cta: &Cta, ring: Ring<'s, [u32; 512], 4>) -> IdleRing<'s, [u32; 512], 4> {
    /// // Processes the first tile alone.
    /// let NextStage::Full(full) = ring.wait(cta) else { ptx::trap() };
    /// let idle = full.update(cta, |[x], y| x.max(y)).store(cta).refill(cta).finish(cta).join(cta);
    /// # idle
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn finish(mut self, cta: &Cta) -> FinishedRing<'s, [T; N], STAGES, INPUTS> {
        meet!(cta; self.addr);
        self.await_loads();
        self.finished(cta)
    }

    /// Waits for the loads in flight.
    #[inline(always)]
    fn await_loads(&mut self) {
        let mut stages = 0;
        while stages < STAGES && self.has(0) {
            self.wait_stage();
            self.advance();
            stages += 1;
        }
    }

    /// Ends a ring without loads in flight: the leader waits until the stores have read their stages.
    #[inline(always)]
    fn finished(self, cta: &Cta) -> FinishedRing<'s, [T; N], STAGES, INPUTS> {
        if cta.is_leader() {
            // SAFETY: the leader has committed all stores of the ring, so its wait covers them.
            unsafe { raw::cp_async_bulk_wait_group_read::<0>() };
        }
        FinishedRing { addr: self.addr, bars: self.bars, _scope: PhantomData, _tiles: PhantomData }
    }
}

impl<'s, T: Element, const N: usize, const INPUTS: usize, const STAGES: usize>
    FinishedRing<'s, [T; N], STAGES, INPUTS>
{
    /// Gives the ring up at the end of the kernel ([`Cta::finish`]). The mbarriers stay valid.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn end(self) -> Ended<'s, RingMemory<[T; N], STAGES, INPUTS>> {
        Ended::new()
    }

    /// Waits for all threads of the CTA and invalidates the mbarriers, so that the ring can be used again, or returned from
    /// [`Cta::async_scope`].
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `barrier.cta.sync.aligned 0;`, by the leader, a stage, `mbarrier.inval.shared::cta.b64`,
    /// `barrier.cta.sync.aligned 0;`
    #[inline(always)]
    #[track_caller]
    pub fn join(self, cta: &Cta) -> IdleRing<'s, [T; N], STAGES, INPUTS> {
        hold::<Cta>(self.addr);
        cta.sync();
        if cta.is_leader() {
            // SAFETY: the mbarriers are valid, and after the barrier above no thread waits on them.
            unsafe { RingLayout::<T, N, INPUTS, STAGES>::inval(self.bars) };
        }
        cta.sync();
        IdleRing { addr: self.addr, _scope: PhantomData, _tiles: PhantomData }
    }
}

impl<'s, T: Element, const N: usize, const INPUTS: usize, const STAGES: usize>
    FullRing<'s, [T; N], STAGES, INPUTS>
{
    /// Replaces each element `y` of the current stage's in-out tile by `f([x, …], y)`, where the `x` are the elements of the
    /// inputs at the same place. Each thread updates its share, sixteen bytes at a time.
    ///
    /// Collective in the CTA.
    ///
    /// PTX per sixteen bytes: a tile: `ld.weak.shared::cta.v4.b32`; `st.weak.shared::cta.v4.b32`, or `.v2.b64`, or `.b128`
    /// ([`Element::Vector`])
    #[inline(always)]
    #[track_caller]
    pub fn update(
        self,
        cta: &Cta,
        mut f: impl FnMut([T; INPUTS], T) -> T,
    ) -> UpdatedRing<'s, [T; N], STAGES, INPUTS> {
        meet!(cta; self.0.addr);
        let ring = self.0;
        for_each_vector::<T, N>(cta, |v| {
            let at = |tile| ring.tile(ring.at.stage, tile) + 16 * v;
            // SAFETY: in bounds and aligned to 16. The stage has arrived, one thread accesses each vector, and no copy reads or
            // writes the vector before `store`.
            unsafe {
                let inputs: [T::Vector; INPUTS] = core::array::from_fn(|i| T::load_vector(at(i)));
                let mut in_out = T::load_vector(at(INPUTS));
                for (lane, y) in in_out.as_mut().iter_mut().enumerate() {
                    *y = f(core::array::from_fn(|i| inputs[i].as_ref()[lane]), *y);
                }
                T::store_vector(at(INPUTS), in_out);
            }
        });
        UpdatedRing(ring)
    }
}

impl<'s, T: Element, const N: usize, const INPUTS: usize, const STAGES: usize>
    UpdatedRing<'s, [T; N], STAGES, INPUTS>
{
    /// Starts to store the current stage's in-out tile back to global memory, where it was loaded from (`cp.async.bulk`).
    ///
    /// Collective in the CTA.
    ///
    /// PTX by every thread: `fence.proxy.async.shared::cta;` `barrier.cta.sync.aligned 0;`, by the leader:
    /// `cp.async.bulk.global.shared::cta.bulk_group` `cp.async.bulk.commit_group;`
    #[inline(always)]
    #[track_caller]
    pub fn store(self, cta: &Cta) -> StoringRing<'s, [T; N], STAGES, INPUTS> {
        let ring = self.0;
        hold::<Cta>(ring.addr);
        fence_async(cta);
        if cta.is_leader() {
            // SAFETY: `fence_async` is the fence and the barrier after `update`. The leader alone starts the store.
            unsafe { ring.start_store() };
        }
        StoringRing(ring)
    }
}

impl<'s, T: Element, const N: usize, const INPUTS: usize, const STAGES: usize>
    StoringRing<'s, [T; N], STAGES, INPUTS>
{
    /// Starts to load further tiles into this stage (`cp.async.bulk`) after the store has read it, and moves on to the next
    /// stage.
    ///
    /// Collective in the CTA.
    ///
    /// PTX by the leader, while there are tiles: `cp.async.bulk.wait_group.read 0;`
    /// `mbarrier.arrive.expect_tx.release.cta.shared::cta.b64`, for each tile
    /// `cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes`
    #[inline(always)]
    #[track_caller]
    pub fn refill(self, cta: &Cta) -> Ring<'s, [T; N], STAGES, INPUTS> {
        meet!(cta; self.0.addr);
        let mut ring = self.0;
        if cta.is_leader() {
            // SAFETY: the leader has started the store of this stage in `store`.
            unsafe { ring.start_refill() };
        }
        ring.advance();
        ring
    }
}

handles! {
    RingMemory<[u32; 4], 2>, IdleRing<[u32; 4], 2>, Ring<[u32; 4], 2>, FullRing<[u32; 4], 2>,
    UpdatedRing<[u32; 4], 2>, StoringRing<[u32; 4], 2>, FinishedRing<[u32; 4], 2>,
}
