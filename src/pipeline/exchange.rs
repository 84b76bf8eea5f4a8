//! Tiles that the warpgroups of a run compute together: each fills its part, and all multiply the whole.

use core::marker::PhantomData;

use super::layout::{Cursor, Layout, StageMbarriers};
use super::parts::{WARP, await_full_together};
use super::run::RunsPipeline;
use super::stage::StageTiles;
use super::warpgroups::{EndsRun, Pipelines};
use crate::async_group::Token;
use crate::group::{Brand, Cta, Warpgroup};
use crate::mark::hold;
use crate::qualifier::{arrivals, mode, scope, sem, space};
use crate::raw;
use crate::shared::{Element, Ended, Lendable, Place, Scoped, Shared, VectorStores};
use crate::size;
use crate::tensor::{MatrixBox, Operand, Tile, panel};
use crate::wgmma::Read;

/// The buffers that take turns. A warpgroup fills one of them when every warpgroup has multiplied what it had two turns before.
const BUFFERS: usize = 2;

/// An mbarrier of each buffer, whose phase completes when all warps have filled their parts.
struct Filled;
// SAFETY: a buffer has one mbarrier.
unsafe impl StageMbarriers for Filled {
    const MBARRIERS: u32 = 1;
}
type Buffers<S> = Layout<S, BUFFERS, Filled>;

/// The shared memory of an [`Exchange`] of tiles `S`: two buffers, and an mbarrier of each. `S` is a [`Tile`] with a panel for each
/// warpgroup.
///
/// ```
/// use ptx::{bf16, pipeline::ExchangeMemory, qualifier::swizzle_mode, tensor::Box2, wgmma::Tile};
/// /// 64 rows, of which each of two warpgroups fills 64 columns.
/// type Memory = ExchangeMemory<Tile<bf16, Box2<64, 64, swizzle_mode::B128>, 2>>;
/// ```
#[derive(Debug)]
pub struct ExchangeMemory<S> {
    addr: u32,
    _tiles: PhantomData<*mut S>,
}

// SAFETY: the buffers and their mbarriers take `Layout::BYTES` bytes from `addr` on.
unsafe impl<S: StageTiles> Place for ExchangeMemory<S> {
    const SIZE: u32 = Buffers::<S>::BYTES;
    const ALIGN: u32 = S::ALIGN;

    #[inline(always)]
    unsafe fn at(addr: u32) -> Self {
        ExchangeMemory { addr, _tiles: PhantomData }
    }
}

// SAFETY: an `Exchange` has no valid mbarrier, and `open` makes one `Exchange` per scope.
unsafe impl<S: StageTiles> Scoped for ExchangeMemory<S> {
    type InScope<'s> = Exchange<'s, S>;
    type Ended<'s> = Ended<'s, Self>;
    const USED_BY_PEERS: bool = false;
    #[inline(always)]
    unsafe fn open<'s>(self) -> Self::InScope<'s> {
        Exchange { addr: self.addr, _scope: PhantomData, _tiles: PhantomData }
    }
    #[inline(always)]
    unsafe fn give_back(lent: Self::InScope<'_>) -> Self {
        ExchangeMemory { addr: lent.addr, _tiles: PhantomData }
    }
}

// SAFETY: the memory is at rest, and a run initializes the mbarriers.
unsafe impl<S: StageTiles> Lendable for ExchangeMemory<S> {}

/// An exchange of tiles among the warpgroups of a run, which takes it in the place of a pipeline, in a pair with the pipelines
/// ([`Pipelines`]): each warpgroup gets an [`ExchangePart`], and the producer nothing.
///
/// ```text
///   ExchangePart ── fill ──► ExchangedTile ── release ──► ExchangePart
/// ```
#[must_use = "the body of the scope must return this handle"]
#[derive(Debug)]
pub struct Exchange<'s, S> {
    addr: u32,
    _scope: Brand<'s>,
    _tiles: PhantomData<*mut S>,
}

/// A warpgroup's part of the next tile of an [`Exchange`].
#[must_use = "the closure of the run returns this handle"]
#[derive(Debug)]
pub struct ExchangePart<'p, S> {
    base: u32,
    at: Cursor,
    _run: Brand<'p>,
    _tiles: PhantomData<*mut S>,
}

/// A tile of an [`Exchange`] that all warpgroups have filled, an operand of their products.
#[must_use = "the next tile follows after this one: call `.release()`"]
#[derive(Debug)]
pub struct ExchangedTile<'p, S> {
    part: ExchangePart<'p, S>,
    stage: u32,
}

// SAFETY: the handle owns the warpgroup's use of the buffer, which no warpgroup fills before its `release`.
unsafe impl<S> Read for ExchangedTile<'_, S> {}

impl<'p, T: Element, B: MatrixBox, const PANELS: usize> ExchangePart<'p, Tile<T, B, PANELS>> {
    /// Fills the warpgroup's panel of the tile by `fill`, that of its index, and waits until all warpgroups have filled theirs. All
    /// warpgroups of the run make equally many of these calls; otherwise they wait forever.
    ///
    /// `fill` stores by [`Packed::store_transposed`](crate::wgmma::Packed::store_transposed) and its like.
    ///
    /// Collective in the warpgroup.
    ///
    /// PTX: that of `fill`; `fence.proxy.async.shared::cta;` `bar.warp.sync 0xffffffff;` by lane 0
    /// `mbarrier.arrive.release.cta.shared::cta.b64 state, [filled];` repeated while false:
    /// `mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 waitComplete, [filled], parity;`
    #[inline(always)]
    #[track_caller]
    pub fn fill<const COUNT: u32, const LEN: usize>(
        self,
        warpgroup: &Warpgroup<'p, COUNT>,
        fill: impl FnOnce(&Shared<'_, T, LEN, VectorStores, Warpgroup<'p, COUNT>>),
    ) -> ExchangedTile<'p, Tile<T, B, PANELS>> {
        const {
            assert!(
                PANELS == COUNT as usize,
                "each warpgroup fills one panel of the tile: declare as many panels as there are warpgroups"
            );
            assert!(B::LEN == LEN, "the warpgroup fills a box of the tile: pass an array of its length");
        }
        meet!(warpgroup; self.base);
        let Cursor { stage, parity } = self.at;
        let filled = Buffers::<Tile<T, B, PANELS>>::full(self.base, stage);
        let buffer = Buffers::<Tile<T, B, PANELS>>::stage(self.base, stage);
        fill(&Shared::new(buffer + warpgroup.index() * const { size::shared(panel::<T, B, PANELS>()) }));
        raw::fence_proxy_async(space::SharedCta);
        // SAFETY: the lanes make these calls together. The mbarrier is valid during the run, and counts one arrival of each warp of all
        // warpgroups. A warp arrives again after its wait for this phase, so the parity is of the current phase or of the one before.
        let stage = unsafe {
            raw::bar_warp_sync(u32::MAX);
            if warpgroup.thread_rank().is_multiple_of(WARP) {
                raw::mbarrier_arrive(sem::Release, scope::Cta, space::SharedCta, filled, arrivals::One);
            }
            await_full_together::<()>(filled, parity);
            // Lane 0's number is that of the whole warp. So ptxas keeps it in a uniform register.
            raw::shfl_sync(mode::Idx, stage, 0, 0x1f, u32::MAX)
        };
        let mut part = self;
        part.at.advance::<BUFFERS>();
        ExchangedTile { part, stage }
    }
}

impl<'p, T: Element, B: MatrixBox, const PANELS: usize> ExchangedTile<'p, Tile<T, B, PANELS>> {
    /// Returns the whole tile as an operand of the products of a group.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn tiles(&self) -> Operand<'_, T, B, PANELS> {
        // SAFETY: each thread has passed its stores to the async proxy before its warp's arrival, and the wait of `fill` has acquired
        // them. A warpgroup fills the buffer again after all have released it and have arrived once more.
        unsafe { Operand::at(Buffers::<Tile<T, B, PANELS>>::stage(self.part.base, self.stage)) }
    }

    /// Gives up the tile, which no product of this warpgroup reads any more: a wait for their group gave it back. The next `fill`
    /// tells the other warpgroups.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn release(self) -> ExchangePart<'p, Tile<T, B, PANELS>> {
        self.part
    }
}

// SAFETY: the memory is that of the exchange. What other warpgroups still read lives until all threads have exited: a run of
// warpgroups is the last work of its kernel.
unsafe impl<'s, S: StageTiles> EndsRun for Exchange<'s, S> {
    type Ended = Ended<'s, ExchangeMemory<S>>;
    #[inline(always)]
    fn end(self, _: Token) -> Self::Ended {
        Ended::new()
    }
}

// SAFETY: the handles are those of the exchange.
#[diagnostic::do_not_recommend]
unsafe impl<'s, S: StageTiles, By: RunsPipeline<'s, ()>> Pipelines<'s, By> for Exchange<'s, S> {
    type Producers<'p> = ();
    type Consumers<'p> = ExchangePart<'p, S>;

    #[inline(always)]
    fn cta(by: &By) -> &Cta {
        by.cta()
    }
    #[inline(always)]
    #[track_caller]
    fn sync(by: &By) {
        by.sync();
    }
    #[inline(always)]
    fn hold(&self) {
        hold::<By>(self.addr);
    }
    #[inline(always)]
    unsafe fn init(&self, warps: u32) {
        let mut buffer = 0;
        while buffer < BUFFERS as u32 {
            // SAFETY: one thread calls this, and the memory is idle (`# Safety`). The mbarrier lies in it, aligned to 8.
            unsafe {
                raw::mbarrier_init(space::SharedCta, Buffers::<S>::full(self.addr, buffer), warps);
            }
            buffer += 1;
        }
    }
    #[inline(always)]
    unsafe fn producers<'p>(&self) -> Self::Producers<'p> {}
    #[inline(always)]
    fn drain((): (), _: Token) {}
    #[inline(always)]
    unsafe fn consumers<'p>(&self) -> ExchangePart<'p, S> {
        ExchangePart { base: self.addr, at: Cursor::START, _run: PhantomData, _tiles: PhantomData }
    }
}

handles! { ExchangeMemory<()>, Exchange<()>, ExchangePart<()>, ExchangedTile<()> }
