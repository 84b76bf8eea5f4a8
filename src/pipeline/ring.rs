//! A pipeline whose two parts are one: all threads of the CTA hold it, the elected one loads and stores.

use core::marker::PhantomData;

use super::Invariant;
use super::layout::{Cursor, Layout, StageMbarriers};
use super::stage::StageTiles;
use crate::global::{Tiles, TilesMut};
use crate::group::Cta;
use crate::mbarrier::await_parity;
use crate::qualifier::{cache_hint, cp_mask, scope, suspend_time_hint};
use crate::raw;
use crate::shared::{ALIGN, Element, Ended, Place, Scoped, fence_async, for_each_vector, whole_vectors};
use crate::size;
use crate::trap::trap;

/// Memory for a ring of `STAGES` stages, each of `INPUTS` input tiles and one in-out tile of `N` elements.
///
/// ```
/// # use ptx::{launch::Cta, pipeline::RingMemory};
/// // Four stages of two tiles of 512 elements: one of an input, one in-out.
/// ptx::shared_memory! { struct Smem { ring: RingMemory<f32, 512, 1, 4> } }
/// # fn kernel(cta: &mut Cta, smem: Smem) {
/// let memory = cta.async_scope(smem.ring, |cta, ring| ring);
/// # }
/// ```
#[derive(Debug)]
pub struct RingMemory<T, const N: usize, const INPUTS: usize, const STAGES: usize> {
    addr: u32,
    _tiles: PhantomData<*mut T>,
}

static_assertions::assert_not_impl_any!(RingMemory<u32, 4, 1, 2>: Copy, Clone, Send, Sync);

// SAFETY: `Layout::BYTES` bytes from `addr` on: the stages, then an mbarrier for each.
unsafe impl<T: Element, const N: usize, const INPUTS: usize, const STAGES: usize> Place
    for RingMemory<T, N, INPUTS, STAGES>
{
    const SIZE: u32 = RingLayout::<T, N, INPUTS, STAGES>::BYTES;
    const ALIGN: u32 = ALIGN;

    #[inline(always)]
    unsafe fn at(addr: u32) -> Self {
        RingMemory { addr, _tiles: PhantomData }
    }
}

// SAFETY: an `IdleRing` has no copy in flight and no valid mbarrier, and one scope makes one of them.
unsafe impl<T: Element, const N: usize, const INPUTS: usize, const STAGES: usize> Scoped
    for RingMemory<T, N, INPUTS, STAGES>
{
    type InScope<'s> = IdleRing<'s, T, N, INPUTS, STAGES>;
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

/// What a stage of a ring holds: a tile of each input, then the in-out tile.
struct RingStage<T, const N: usize, const INPUTS: usize>(PhantomData<T>);

impl<T: Element, const N: usize, const INPUTS: usize> RingStage<T, N, INPUTS> {
    /// Tiles are aligned as arrays are.
    const TILE: usize = size::aligned(size::bytes::<T, N>(), ALIGN);
    const TILES: usize = size::sum(INPUTS, 1);
}

// SAFETY: the tiles lie one after the other.
unsafe impl<T: Element, const N: usize, const INPUTS: usize> StageTiles for RingStage<T, N, INPUTS> {
    const BYTES: usize = size::product([Self::TILES, size::bytes::<T, N>()]);
    const SIZE: usize = size::product([Self::TILES, Self::TILE]);
    type View<'a> = ();
    #[inline(always)]
    unsafe fn view<'a>(_addr: u32) -> Self::View<'a> {}
}

/// A stage of a ring is empty behind a barrier of the CTA.
#[derive(Debug)]
enum FullAlone {}
// SAFETY: copies end the phase of `full`; a barrier of the CTA says that a stage is empty.
unsafe impl StageMbarriers for FullAlone {
    const MBARRIERS: u32 = 1;
}

type RingLayout<T, const N: usize, const INPUTS: usize, const STAGES: usize> =
    Layout<RingStage<T, N, INPUTS>, STAGES, FullAlone>;

/// A ring with no load in flight, and no store that still reads a stage.
///
/// ```
/// # use ptx::{global::{Tiles, TilesMut}, launch::Cta, pipeline::{RingMemory, NextStage}};
/// # fn kernel(cta: &mut Cta, memory: RingMemory<f32, 512, 1, 4>, x: Tiles<f32, 512>, y: TilesMut<f32, 512>) {
/// cta.async_scope(memory, |cta, idle| {
///     let mut ring = idle.start(cta, [x], y);
///     loop {
///         match ring.wait(cta) {
///             NextStage::Full(full) => ring = full.update(cta, |[x], y| x + y).store(cta).refill(cta),
///             NextStage::Done(idle) => return idle,
///         }
///     }
/// });
/// # }
/// ```
#[must_use = "the scope has to return this handle: keep it"]
#[derive(Debug)]
pub struct IdleRing<'s, T, const N: usize, const INPUTS: usize, const STAGES: usize> {
    addr: u32,
    _scope: Invariant<'s>,
    _tiles: PhantomData<*mut T>,
}

static_assertions::assert_not_impl_any!(IdleRing<'static, u32, 4, 1, 2>: Copy, Clone, Send, Sync);

/// A ring whose stages are in flight: as many as there are tiles left, `STAGES` at most.
///
/// ```
/// # use ptx::{launch::Cta, pipeline::{IdleRing, Ring, NextStage}};
/// fn add_all<'s>(cta: &Cta, mut ring: Ring<'s, f32, 512, 1, 4>) -> IdleRing<'s, f32, 512, 1, 4> {
///     loop {
///         match ring.wait(cta) {
///             NextStage::Full(full) => ring = full.update(cta, |[x], y| x + y).store(cta).refill(cta),
///             NextStage::Done(idle) => return idle,
///         }
///     }
/// }
/// ```
#[must_use = "copies are in flight: go on with `.wait(&cta)` or end with `.finish(&cta)`"]
#[derive(Debug)]
pub struct Ring<'s, T, const N: usize, const INPUTS: usize, const STAGES: usize> {
    addr: u32,
    /// The first stage's mbarrier, kept: to make it from `addr` again took two instructions more in each round.
    bars: u32,
    /// The stage to wait for.
    at: Cursor,
    /// The tile in that stage, the end of the tiles, and the distance from one of the CTA's tiles to its next.
    index: usize,
    count: usize,
    step: usize,
    /// Tile `index` of each slice.
    inputs: [*const T; INPUTS],
    in_out: *mut T,
    _scope: Invariant<'s>,
}

static_assertions::assert_not_impl_any!(Ring<'static, u32, 4, 1, 2>: Copy, Clone, Send, Sync);

/// What [`Ring::wait`] gives.
///
/// ```
/// # use ptx::{launch::Cta, pipeline::{IdleRing, Ring, NextStage}};
/// # fn kernel<'s>(cta: &Cta, ring: Ring<'s, f32, 512, 0, 4>) -> IdleRing<'s, f32, 512, 0, 4> {
/// match ring.wait(cta) {
///     NextStage::Full(full) => full.update(cta, |[], y| 2.0 * y).store(cta).refill(cta).finish(cta),
///     NextStage::Done(idle) => idle, // this CTA has no tile
/// }
/// # }
/// ```
#[must_use = "it holds the ring: `match` on it"]
#[derive(Debug)]
pub enum NextStage<'s, T, const N: usize, const INPUTS: usize, const STAGES: usize> {
    /// The next tiles have arrived.
    Full(FullRing<'s, T, N, INPUTS, STAGES>),
    /// All tiles have gone through: every store has read its stage, and what it writes is there when the grid ends.
    Done(IdleRing<'s, T, N, INPUTS, STAGES>),
}

/// A ring whose foremost stage has arrived and is readable.
///
/// ```
/// # use ptx::{launch::Cta, pipeline::{FullRing, UpdatedRing}};
/// fn scale<'s>(cta: &Cta, full: FullRing<'s, f32, 512, 0, 4>, by: f32) -> UpdatedRing<'s, f32, 512, 0, 4> {
///     full.update(cta, |[], y| by * y)
/// }
/// ```
#[must_use = "go on with `.update(&cta, …)`"]
#[derive(Debug)]
pub struct FullRing<'s, T, const N: usize, const INPUTS: usize, const STAGES: usize>(
    Ring<'s, T, N, INPUTS, STAGES>,
);

static_assertions::assert_not_impl_any!(FullRing<'static, u32, 4, 1, 2>: Copy, Clone, Send, Sync);

/// A ring whose foremost stage has been computed.
///
/// ```
/// # use ptx::{launch::Cta, pipeline::{Ring, UpdatedRing}};
/// fn go_on<'s>(cta: &Cta, updated: UpdatedRing<'s, f32, 512, 1, 4>) -> Ring<'s, f32, 512, 1, 4> {
///     updated.store(cta).refill(cta)
/// }
/// ```
#[must_use = "go on with `.store(&cta)`"]
#[derive(Debug)]
pub struct UpdatedRing<'s, T, const N: usize, const INPUTS: usize, const STAGES: usize>(
    Ring<'s, T, N, INPUTS, STAGES>,
);

static_assertions::assert_not_impl_any!(UpdatedRing<'static, u32, 4, 1, 2>: Copy, Clone, Send, Sync);

/// A ring whose foremost stage is being stored.
///
/// ```
/// # use ptx::{launch::Cta, pipeline::{Ring, UpdatedRing}};
/// # fn kernel<'s>(cta: &Cta, updated: UpdatedRing<'s, f32, 512, 1, 4>) -> Ring<'s, f32, 512, 1, 4> {
/// let storing = updated.store(cta);
/// // Whatever can be done while the store reads the stage.
/// let ring = storing.refill(cta);
/// # ring
/// # }
/// ```
#[must_use = "go on with `.refill(&cta)`"]
#[derive(Debug)]
pub struct StoringRing<'s, T, const N: usize, const INPUTS: usize, const STAGES: usize>(
    Ring<'s, T, N, INPUTS, STAGES>,
);

static_assertions::assert_not_impl_any!(StoringRing<'static, u32, 4, 1, 2>: Copy, Clone, Send, Sync);

impl<'s, T: Element, const N: usize, const INPUTS: usize, const STAGES: usize>
    IdleRing<'s, T, N, INPUTS, STAGES>
{
    /// Starts to stream this CTA's tiles of `in_out`, each with the tiles of the same index of `inputs`. Traps where an
    /// input has fewer tiles than `in_out`.
    ///
    /// Collective in the CTA.
    ///
    /// PTX by the leader, a stage: `mbarrier.init.shared::cta.b64`; `fence.mbarrier_init.release.cluster;`
    /// `fence.proxy.async.shared::cta;`; a stage: `mbarrier.arrive.expect_tx.release.cta.shared::cta.b64`, a tile:
    /// `cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes`. By every thread: `barrier.cta.sync.aligned 0;`
    ///
    /// ```
    /// # use ptx::{global::{Global, GlobalMut}, launch::Cta, pipeline::{IdleRing, Ring}};
    /// # fn kernel<'s>(cta: &Cta, ring: IdleRing<'s, f32, 512, 2, 4>, a: Global<f32>, b: Global<f32>,
    /// #     y: GlobalMut<f32, 512>) -> Ring<'s, f32, 512, 2, 4> {
    /// let ((a, a_tail), (b, b_tail), (y, y_tail)) = (a.tiles(), b.tiles(), y.tiles(cta));
    /// let ring = ring.start(cta, [a, b], y);
    /// # ring
    /// # }
    /// ```
    #[inline(always)]
    pub fn start(
        self,
        cta: &Cta,
        inputs: [Tiles<T, N>; INPUTS],
        in_out: TilesMut<T, N>,
    ) -> Ring<'s, T, N, INPUTS, STAGES> {
        const {
            whole_vectors::<T, N>();
            RingLayout::<T, N, INPUTS, STAGES>::check();
        }
        if inputs.iter().any(|input| input.count < in_out.count) {
            trap();
        }
        let ring = Ring {
            addr: self.addr,
            bars: RingLayout::<T, N, INPUTS, STAGES>::full(self.addr, 0),
            at: Cursor::START,
            index: in_out.next,
            count: in_out.count,
            step: in_out.step,
            inputs: inputs.map(|input| input.base.wrapping_add(in_out.next * N)),
            in_out: in_out.base.wrapping_add(in_out.next * N),
            _scope: PhantomData,
        };
        if cta.is_leader() {
            // SAFETY: the memory is this ring's, idle, and an idle ring holds no valid mbarrier.
            unsafe { RingLayout::<T, N, INPUTS, STAGES>::init(self.addr, 0) };
            let mut stage = 0;
            while stage < STAGES && ring.has(stage) {
                // SAFETY: nothing has been loaded into this stage yet, and tile `stage` is in bounds.
                unsafe { ring.load(stage as u32, stage) };
                stage += 1;
            }
        }
        // The other threads see the mbarriers before they wait on them.
        cta.sync();
        ring
    }

    /// Streams all of this CTA's tiles of `in_out`, each with the tiles of the same index of `inputs`, and replaces each element
    /// `y` of them by `f([x, …], y)`. Traps where an input has fewer tiles than `in_out`.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: as [`start`](IdleRing::start); a tile: as [`wait`](Ring::wait), [`update`](FullRing::update),
    /// [`store`](UpdatedRing::store) and [`refill`](StoringRing::refill); at the end as [`finish`](Ring::finish).
    ///
    /// ```
    /// # use ptx::{global::{Tiles, TilesMut}, launch::Cta, pipeline::RingMemory};
    /// # fn kernel(cta: &mut Cta, memory: RingMemory<f32, 512, 2, 4>, a: Tiles<f32, 512>, b: Tiles<f32, 512>,
    /// #     y: TilesMut<f32, 512>) {
    /// cta.async_scope(memory, |cta, ring| ring.update_all(cta, [a, b], y, |[a, b], y| a * b + y));
    /// # }
    /// ```
    #[inline(always)]
    pub fn update_all(
        self,
        cta: &Cta,
        inputs: [Tiles<T, N>; INPUTS],
        in_out: TilesMut<T, N>,
        f: impl FnMut([T; INPUTS], T) -> T,
    ) -> Self {
        self.stream(cta, inputs, in_out, f).close(cta)
    }

    /// [`update_all`](IdleRing::update_all) in the last scope of the kernel ([`Cta::async_scope_last`]): the mbarriers stay as they are.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: as [`update_all`](IdleRing::update_all); at the end `cp.async.bulk.wait_group.read 0;` by the leader alone.
    #[inline(always)]
    pub fn update_all_last(
        self,
        cta: &Cta,
        inputs: [Tiles<T, N>; INPUTS],
        in_out: TilesMut<T, N>,
        f: impl FnMut([T; INPUTS], T) -> T,
    ) -> Ended<'s, RingMemory<T, N, INPUTS, STAGES>> {
        self.stream(cta, inputs, in_out, f).end(cta)
    }

    #[inline(always)]
    fn stream(
        self,
        cta: &Cta,
        inputs: [Tiles<T, N>; INPUTS],
        in_out: TilesMut<T, N>,
        mut f: impl FnMut([T; INPUTS], T) -> T,
    ) -> Ring<'s, T, N, INPUTS, STAGES> {
        let mut ring = self.start(cta, inputs, in_out);
        while ring.has(0) {
            ring.wait_stage();
            ring = FullRing(ring).update(cta, &mut f).0.store_and_refill(cta);
        }
        ring
    }
}

impl<'s, T: Element, const N: usize, const INPUTS: usize, const STAGES: usize>
    Ring<'s, T, N, INPUTS, STAGES>
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

    /// Whether there is a tile `ahead` after the foremost.
    #[inline(always)]
    fn has(&self, ahead: usize) -> bool {
        self.index + ahead * self.step < self.count
    }

    /// Loads the tiles that are `ahead` after the foremost into `stage`.
    ///
    /// # Safety
    ///
    /// One thread calls this; there is a tile `ahead`; the stage is free, its mbarrier's phase is waited for by all threads.
    #[inline(always)]
    unsafe fn load(&self, stage: u32, ahead: usize) {
        let (bar, offset) = (self.bar(stage), ahead * self.step * N);
        // SAFETY: the mbarrier is valid and this is its one arrival in the phase; the copies below bring that many
        // bytes. They are sized and aligned by the tile types; their destination is this stage, aligned to 128; their
        // sources are in bounds by `start` and are not written before they are loaded: an in-out tile is stored once,
        // after its load. No scope ends with a ring in flight.
        unsafe {
            RingLayout::<T, N, INPUTS, STAGES>::expect(bar);
            for (i, input) in self.inputs.iter().enumerate() {
                let src = input.wrapping_add(offset).cast();
                raw::cp_async_bulk_shared_cta_global(
                    self.tile(stage, i),
                    src,
                    const { size::shared(size::bytes::<T, N>()) },
                    bar,
                    cache_hint::None,
                );
            }
            let src = self.in_out.wrapping_add(offset).cast_const().cast();
            raw::cp_async_bulk_shared_cta_global(
                self.tile(stage, INPUTS),
                src,
                const { size::shared(size::bytes::<T, N>()) },
                bar,
                cache_hint::None,
            );
        }
    }

    /// Starts the store of the foremost stage's output.
    ///
    /// # Safety
    ///
    /// One thread calls it, once a stage, behind a proxy fence of every thread that has stored there, and a barrier.
    #[inline(always)]
    unsafe fn start_store(&self) {
        // SAFETY: sized and aligned by the tile types; the destination is this CTA's tile, whose load is complete; what the
        // threads stored is visible by the caller's contract; `start_refill` waits for the reads before the stage is loaded
        // again, `await_stores` for all of them.
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

    /// Loads the foremost stage again, if there is a tile for it.
    ///
    /// # Safety
    ///
    /// The thread that started the stage's store calls it, after that.
    #[inline(always)]
    unsafe fn start_refill(&self) {
        if self.has(STAGES) {
            // SAFETY: the store has read the stage; the barrier before it came after every thread's wait for the stage's
            // phase and after its reads of the inputs.
            unsafe {
                raw::cp_async_bulk_wait_group_read::<0>();
                self.load(self.at.stage, STAGES);
            }
        }
    }

    /// [`store`](UpdatedRing::store) and [`refill`](StoringRing::refill), by one election.
    #[inline(always)]
    fn store_and_refill(mut self, cta: &Cta) -> Self {
        fence_async(cta);
        if cta.is_leader() {
            // SAFETY: `update` is done, and behind the fence and the barrier.
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
        // SAFETY: `load` has armed this phase; `parity` is its parity. The next phase is armed behind a barrier that
        // follows this wait in every thread, or never.
        unsafe { await_parity(scope::Cta, self.bar(self.at.stage), self.at.parity, suspend_time_hint::None) };
    }

    #[inline(always)]
    fn advance(&mut self) {
        self.at.advance::<STAGES>();
        self.index += self.step;
        for input in &mut self.inputs {
            *input = input.wrapping_add(self.step * N);
        }
        self.in_out = self.in_out.wrapping_add(self.step * N);
    }

    /// Waits for the foremost stage, or, when all tiles have gone through, until the last stores have read their stages; what they
    /// write is there when the grid ends.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: while there are tiles, repeated while false: `mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 waitComplete, [bar],
    /// parity;`; then, once: by the leader `cp.async.bulk.wait_group.read 0;`; by every thread `barrier.cta.sync.aligned 0;`;
    /// by the leader, a stage, `mbarrier.inval.shared::cta.b64`; by every thread `barrier.cta.sync.aligned 0;`
    ///
    /// ```
    /// # use ptx::{launch::Cta, pipeline::{IdleRing, Ring, NextStage}};
    /// # fn kernel<'s>(cta: &Cta, mut ring: Ring<'s, u32, 512, 1, 4>) -> IdleRing<'s, u32, 512, 1, 4> {
    /// loop {
    ///     ring = match ring.wait(cta) {
    ///         NextStage::Full(full) => full.update(cta, |[x], y| x ^ y).store(cta).refill(cta),
    ///         NextStage::Done(idle) => return idle,
    ///     };
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn wait(self, cta: &Cta) -> NextStage<'s, T, N, INPUTS, STAGES> {
        if !self.has(0) {
            return NextStage::Done(self.close(cta));
        }
        self.wait_stage();
        NextStage::Full(FullRing(self))
    }

    /// Waits until the stages in flight have come and every store has read its stage, and lets the tiles that are left be.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: a stage in flight: as [`wait`](Ring::wait); by the leader `cp.async.bulk.wait_group.read 0;`; by every
    /// thread `barrier.cta.sync.aligned 0;`; by the leader, a stage, `mbarrier.inval.shared::cta.b64`; by every thread
    /// `barrier.cta.sync.aligned 0;`
    ///
    /// ```
    /// # use ptx::{launch::Cta, pipeline::{IdleRing, Ring, NextStage}};
    /// # fn kernel<'s>(cta: &Cta, ring: Ring<'s, u32, 512, 1, 4>) -> IdleRing<'s, u32, 512, 1, 4> {
    /// // One tile, whatever else there is.
    /// let NextStage::Full(full) = ring.wait(cta) else { ptx::launch::trap() };
    /// let idle = full.update(cta, |[x], y| x.max(y)).store(cta).refill(cta).finish(cta);
    /// # idle
    /// # }
    /// ```
    #[inline(always)]
    pub fn finish(mut self, cta: &Cta) -> IdleRing<'s, T, N, INPUTS, STAGES> {
        self.await_loads();
        self.close(cta)
    }

    /// [`finish`](Ring::finish) in the last scope of the kernel ([`Cta::async_scope_last`]): the mbarriers stay as they are.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `mbarrier.try_wait.parity.acquire.cta.shared::cta.b64` for each stage in flight; by the leader
    /// `cp.async.bulk.wait_group.read 0;`
    #[inline(always)]
    pub fn finish_last(mut self, cta: &Cta) -> Ended<'s, RingMemory<T, N, INPUTS, STAGES>> {
        self.await_loads();
        self.end(cta)
    }

    /// Waits for the stages in flight.
    #[inline(always)]
    fn await_loads(&mut self) {
        let mut stages = 0;
        while stages < STAGES && self.has(0) {
            self.wait_stage();
            self.advance();
            stages += 1;
        }
    }

    /// Waits until the ring's stores have read their stages.
    #[inline(always)]
    fn await_stores(&self, cta: &Cta) {
        if cta.is_leader() {
            // SAFETY: waits for the ring's stores.
            unsafe { raw::cp_async_bulk_wait_group_read::<0>() };
        }
    }

    /// No load is in flight.
    #[inline(always)]
    fn end(self, cta: &Cta) -> Ended<'s, RingMemory<T, N, INPUTS, STAGES>> {
        self.await_stores(cta);
        Ended::new()
    }

    /// What ends a ring into which nothing is being loaded.
    #[inline(always)]
    fn close(self, cta: &Cta) -> IdleRing<'s, T, N, INPUTS, STAGES> {
        self.await_stores(cta);
        cta.sync();
        if cta.is_leader() {
            // SAFETY: valid, and by the barrier above no thread waits on them any more.
            unsafe { RingLayout::<T, N, INPUTS, STAGES>::inval(self.bars) };
        }
        cta.sync();
        IdleRing { addr: self.addr, _scope: PhantomData, _tiles: PhantomData }
    }
}

impl<'s, T: Element, const N: usize, const INPUTS: usize, const STAGES: usize>
    FullRing<'s, T, N, INPUTS, STAGES>
{
    /// Replaces each element `y` of the in-out tile by `f([x, …], y)`, the `x` being those of the inputs at its place.
    /// Each thread does its share, sixteen bytes at a time.
    ///
    /// Collective in the CTA.
    ///
    /// PTX per sixteen bytes: a tile: `ld.weak.shared::cta.v4.b32`; `st.weak.shared::cta.v4.b32`, or `.v2.b64`, or `.b128`
    /// ([`Element::Vector`])
    ///
    /// ```
    /// # use ptx::{launch::Cta, pipeline::{FullRing, UpdatedRing}};
    /// # fn kernel<'s>(cta: &Cta, full: FullRing<'s, f32, 512, 2, 4>) -> UpdatedRing<'s, f32, 512, 2, 4> {
    /// let updated = full.update(cta, |[a, b], y| a * b + y);
    /// # updated
    /// # }
    /// ```
    #[inline(always)]
    pub fn update(
        self,
        cta: &Cta,
        mut f: impl FnMut([T; INPUTS], T) -> T,
    ) -> UpdatedRing<'s, T, N, INPUTS, STAGES> {
        let ring = self.0;
        for_each_vector::<T, N>(cta, |v| {
            let at = |tile| ring.tile(ring.at.stage, tile) + 16 * v;
            // SAFETY: in bounds, aligned; the stage has arrived, each of its vectors has one thread, and no copy reads
            // or writes it before `store`.
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
    UpdatedRing<'s, T, N, INPUTS, STAGES>
{
    /// Starts to store the in-out tile to where it came from.
    ///
    /// Collective in the CTA.
    ///
    /// PTX by every thread: `fence.proxy.async.shared::cta;` `barrier.cta.sync.aligned 0;`, by the leader:
    /// `cp.async.bulk.global.shared::cta.bulk_group` `cp.async.bulk.commit_group;`
    ///
    /// ```
    /// # use ptx::{launch::Cta, pipeline::{FullRing, StoringRing}};
    /// # fn kernel<'s>(cta: &Cta, full: FullRing<'s, f32, 512, 1, 4>) -> StoringRing<'s, f32, 512, 1, 4> {
    /// let storing = full.update(cta, |[x], _| x).store(cta);
    /// # storing
    /// # }
    /// ```
    #[inline(always)]
    pub fn store(self, cta: &Cta) -> StoringRing<'s, T, N, INPUTS, STAGES> {
        let ring = self.0;
        fence_async(cta);
        if cta.is_leader() {
            // SAFETY: `update` is done, and behind the fence and the barrier.
            unsafe { ring.start_store() };
        }
        StoringRing(ring)
    }
}

impl<'s, T: Element, const N: usize, const INPUTS: usize, const STAGES: usize>
    StoringRing<'s, T, N, INPUTS, STAGES>
{
    /// Loads the next tiles into the stage as soon as its store has read it, and goes on to the next stage.
    ///
    /// Collective in the CTA.
    ///
    /// PTX by the leader, while there are tiles: `cp.async.bulk.wait_group.read 0;`
    /// `mbarrier.arrive.expect_tx.release.cta.shared::cta.b64`, a tile:
    /// `cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes`
    ///
    /// ```
    /// # use ptx::{launch::Cta, pipeline::{Ring, StoringRing}};
    /// # fn kernel<'s>(cta: &Cta, storing: StoringRing<'s, f32, 512, 1, 4>) -> Ring<'s, f32, 512, 1, 4> {
    /// let ring = storing.refill(cta); // the foremost stage is now the next
    /// # ring
    /// # }
    /// ```
    #[inline(always)]
    pub fn refill(self, cta: &Cta) -> Ring<'s, T, N, INPUTS, STAGES> {
        let mut ring = self.0;
        if cta.is_leader() {
            // SAFETY: `store` has started the stage's store, behind a barrier.
            unsafe { ring.start_refill() };
        }
        ring.advance();
        ring
    }
}
