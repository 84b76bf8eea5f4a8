//! Loads that complete on an mbarrier: of a tile or several, of global memory or of tensors.

use crate::async_group::Token;
use crate::cache_policy::{Bare, Hinted, L2Policy};
use crate::global::{GlobalSlice, GlobalTile, GlobalTileMut, TileSource};
use crate::group::{Cta, Passed, ThreadGroup, Transitions};
use crate::mbarrier::{Arrivable, Arrived, Mbarrier, Ready};
use crate::qualifier::cache_hint;
use crate::raw;
use crate::shared::{AsyncDestination, Element, Loaded, Shared};
use crate::size;

/// Copies from global to shared memory in flight, on one mbarrier. It owns both ends and the mbarrier.
///
/// `Dst` is a tile, or a nested pair of tiles; `Src` is what they are loaded from, in the same pairs.
///
/// ```
/// # use ptx::{bulk, global::GlobalTile, launch::Cta, mbarrier::{Mbarrier, Ready}, shared::SharedArray};
/// # fn kernel(cta: &mut Cta, tile: SharedArray<f32, 64>, bar: Mbarrier<Ready>, src: GlobalTile<f32, 64>) {
/// cta.async_scope((tile, bar), |cta, (tile, bar)| {
///     let load = bulk::load(cta, bar, tile, src);
///     // Whatever does not need the tile: nobody can touch it.
///     let (bar, tile, _src) = load.wait(cta);
///     (tile.release(cta), bar)
/// });
/// # }
/// ```
#[must_use = "a copy in flight has to be waited for: call `.wait(&cta)`"]
#[derive(Debug)]
pub struct Load<Dst, Src, G = Cta> {
    bar: Mbarrier<Arrived, 1, G>,
    dst: Dst,
    src: Src,
}

static_assertions::assert_not_impl_any!(Load<(), ()>: Copy, Clone, Send, Sync);

/// Starts the copy of a tile to free shared memory, which completes on a ready mbarrier. The tile is of global memory, or a part of
/// a tensor, of as many elements, which all count, inside of the tensor or not. Pairs are loaded from pairs, `(a, b)` from
/// `(x, y)`, on the one mbarrier: the bytes that it expects are those of all tiles together, fewer than 2^20.
///
/// Collective in the group.
///
/// PTX: by the leader `mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 state, [bar], bytes;`, then for each tile
/// of global memory `cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [dst], [src], bytes, [bar];`, for each of a
/// tensor, in a `Box2`, `cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [dst], [map, {x, y}],
/// [bar];`; by the others `mbarrier.arrive.release.cta.shared::cta.b64 state, [bar];`
///
/// ```
/// # use ptx::{bulk, global::GlobalTile, launch::Cta, mbarrier::{Mbarrier, Ready}, shared::SharedArray};
/// # use ptx::{shared::{Free, Loaded, Shared}, tensor::{Box2, TensorMap}};
/// # fn kernel<'s>(cta: &Cta, bar: Mbarrier<Ready>, tile: Shared<'s, f32, 64, Free>,
/// #     src: GlobalTile<f32, 64>) -> Shared<'s, f32, 64, Loaded> {
/// let (bar, tile, _src) = bulk::load(cta, bar, tile, src).wait(cta);
/// let x = tile.get(0);
/// # tile
/// # }
/// # type Tiles = (SharedArray<f32, 2048>, SharedArray<f32, 64>);
/// # fn products(cta: &mut Cta, tiles: Tiles, bar: Mbarrier<Ready>, map: TensorMap<f32, Box2<64, 32>>, x: GlobalTile<f32, 64>) {
///
/// // A box of a matrix, and a tile of the vector that it is multiplied by.
/// cta.async_scope((tiles, bar), |cta, (tiles, bar)| {
///     let (bar, (a, x), _) = bulk::load(cta, bar, tiles, (map.box_at([2, 1]), x)).wait(cta);
///     let product = a.get(64 + 2).and_then(|a| Some(a * x.get(2)?)); // element 130 of row 33
///     ((a.release(cta), x.release(cta)), bar)
/// });
/// # }
/// ```
#[inline(always)]
pub fn load<Dst: Destination<G>, Src: LoadSource<Dst>, G: ThreadGroup>(
    group: &G,
    bar: Mbarrier<impl Arrivable, 1, G>,
    dst: Dst,
    src: Src,
) -> Load<Dst, Src::Handle, G> {
    const { (Src::FITS, bytes::<Dst>()).0 };
    start_load(group, bar, dst, src)
}

/// [`load`], whose mbarrier's phase is also the barrier of `transitions`: every thread arrives in the phase after it has done its part of
/// them, so who has waited for the load knows that all threads have. A loop of loads and stores needs no barrier for what it gives
/// back at its end.
///
/// Collective in the group.
///
/// PTX: as [`load`].
///
/// ```
/// # use ptx::{bulk, global::{GlobalTile, GlobalTileMut}, launch::Cta, mbarrier::{Mbarrier, Ready}};
/// # use ptx::shared::{Fenced, Free, Loaded, Shared};
/// # type Tile<'s, S> = Shared<'s, f32, 64, S>;
/// # fn kernel<'s>(cta: &Cta, bar: Mbarrier<Ready>, tile: Tile<'s, Free>, src: GlobalTile<f32, 64>, out: Tile<'s, Fenced>,
/// #     dst: GlobalTileMut<f32, 64>) -> (Tile<'s, Loaded>, Tile<'s, Free>) {
/// let store = bulk::store(cta, out, dst).commit(cta);
/// let load = bulk::load_with(cta, bar, tile, src, store.wait_read_at_sync(cta));
/// let (_bar, tile, _src, (out, _writing)) = load.wait(cta); // `tile` is here, and `out` has been read
/// # (tile, out.into_free()) }
/// ```
#[inline(always)]
pub fn load_with<Dst: Destination<G>, Src: LoadSource<Dst>, T: Transitions<G>, G: ThreadGroup>(
    group: &G,
    bar: Mbarrier<impl Arrivable, 1, G>,
    dst: Dst,
    src: Src,
    transitions: T,
) -> LoadWith<Dst, Src::Handle, T, G> {
    LoadWith { load: load(group, bar, dst, src), transitions }
}

/// A [`Load`] in flight whose phase ends transitions too: what [`load_with`] gives.
#[must_use = "a copy in flight has to be waited for: call `.wait(&cta)`"]
#[derive(Debug)]
pub struct LoadWith<Dst, Src, T, G = Cta> {
    load: Load<Dst, Src, G>,
    transitions: T,
}

static_assertions::assert_not_impl_any!(LoadWith<(), (), ()>: Copy, Clone, Send, Sync);

impl<Dst: Arriving, Src, T: Transitions<G>, G: ThreadGroup> LoadWith<Dst, Src, T, G> {
    /// Waits for the copies and for all threads: gives what [`Load::wait`] gives, and the handles of the transitions.
    ///
    /// Collective in the group.
    ///
    /// PTX, repeated while false: `mbarrier.try_wait.acquire.cta.shared::cta.b64 waitComplete, [bar], state;`
    #[inline(always)]
    pub fn wait(self, group: &G) -> (Mbarrier<Ready, 1, G>, Dst::Loaded, Src, T::Handles) {
        let (bar, loaded, src) = self.load.wait(group);
        // The mbarrier counts an arrival of every thread, which each made after its part of the transitions.
        (bar, loaded, src, self.transitions.handles(Passed::NEW))
    }
}

const fn bytes<Dst: Arriving>() -> u32 {
    assert!(
        Dst::BYTES < 1 << 20,
        "an mbarrier counts 2^20 - 1 bytes at most: load the tiles on several mbarriers (PTX ISA 9.7.13.15.2)"
    );
    Dst::BYTES as u32
}

/// The sources bring fewer than 2^20 bytes, asserted by `bytes`.
#[inline(always)]
fn start_load<Dst: Destination<G>, Src: LoadSource<Dst>, G: ThreadGroup>(
    group: &G,
    bar: Mbarrier<impl Arrivable, 1, G>,
    dst: Dst,
    src: Src,
) -> Load<Dst, Src::Handle, G> {
    let (mbar, bytes) = (bar.addr(), src.bytes());
    let bar = if group.is_leader() {
        // SAFETY: the copies that follow are of that many bytes, fewer than 2^20. The destinations are free and now owned by the
        // copies, as is the mbarrier; nobody writes the sources; a scope that ends has waited for the copies.
        unsafe {
            let bar = bar.arrive_expect_tx(bytes);
            src.start(&dst, mbar, cache_hint::None);
            bar
        }
    } else {
        bar.arrive(group)
    };
    Load { bar, dst, src: src.bare() }
}

impl<Dst: Arriving, Src, G: ThreadGroup> Load<Dst, Src, G> {
    /// Waits for the copies: the tiles are readable, the mbarrier ready for the next, the sources no longer read.
    ///
    /// Collective in the group.
    ///
    /// PTX, repeated while false: `mbarrier.try_wait.acquire.cta.shared::cta.b64 waitComplete, [bar], state;`
    ///
    /// ```
    /// # use ptx::{bulk::Load, global::GlobalTile, launch::Cta, shared::{Free, Loaded, Shared}};
    /// # fn kernel<'s>(cta: &Cta, load: Load<Shared<'s, f32, 64, Free>, GlobalTile<f32, 64>>)
    /// # -> Shared<'s, f32, 64, Loaded> {
    /// let (bar, tile, src) = load.wait(cta);
    /// # tile
    /// # }
    /// ```
    #[inline(always)]
    pub fn wait(self, group: &G) -> (Mbarrier<Ready, 1, G>, Dst::Loaded, Src) {
        (self.bar.wait(group), self.dst.loaded(Token::NEW), self.src)
    }

    /// Whether [`wait`](Load::wait) would return at once. Threads can get different answers.
    ///
    /// PTX: `mbarrier.test_wait.relaxed.cta.shared::cta.b64 waitComplete, [bar], state;`
    ///
    /// ```
    /// # use ptx::{bulk::Load, global::GlobalTile, shared::{Free, Shared}};
    /// # fn kernel(load: &Load<Shared<'_, f32, 64, Free>, GlobalTile<f32, 64>>, mut work: impl FnMut()) {
    /// while !load.is_complete() {
    ///     work(); // this thread's own: no collective calls
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn is_complete(&self) -> bool {
        self.bar.is_complete()
    }
}

/// Where a load goes: free shared memory, or a pair of destinations.
///
/// # Safety
///
/// Implemented here only: it is free, and held by the group `G`.
#[diagnostic::on_unimplemented(
    message = "a load does not go to `{Self}`",
    label = "not shared memory that `{G}` holds, nor a pair of such",
    note = "it goes to shared memory of the group that makes the call, a `Shared<T, N, Free>` of a `Cta`, a `Shared<T, N, Free, Thread>` of a `Thread`, or to a pair: `(a, b)`; three tiles are a pair of a pair and a tile",
    note = "`cta.async_scope` makes a `Shared<T, N, Free>` of a `SharedArray<T, N>`; what `cta.invoke_one` hands over takes the `thread`, not the `cta`"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait Destination<G>: Arriving {}
// SAFETY: by its state.
unsafe impl<T: Element, const N: usize, State: AsyncDestination, G> Destination<G>
    for Shared<'_, T, N, State, G>
{
}
// SAFETY: both are.
unsafe impl<G, X: Destination<G>, Y: Destination<G>> Destination<G> for (X, Y) {}

/// Shared memory that copies bring tiles to, or a pair of such.
///
/// # Safety
///
/// Implemented here only: the tiles have `BYTES` bytes.
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait Arriving {
    #[doc(hidden)]
    const BYTES: usize;
    /// When they have arrived.
    type Loaded;
    /// They have: who has a token has waited.
    #[doc(hidden)]
    fn loaded(self, token: Token) -> Self::Loaded;
}

// SAFETY: as long as it is.
unsafe impl<'s, T: Element, const N: usize, State, G> Arriving for Shared<'s, T, N, State, G> {
    const BYTES: usize = size::bytes::<T, N>();
    type Loaded = Shared<'s, T, N, Loaded, G>;
    #[inline(always)]
    fn loaded(self, _: Token) -> Self::Loaded {
        self.into_state()
    }
}

// SAFETY: both.
unsafe impl<X: Arriving, Y: Arriving> Arriving for (X, Y) {
    const BYTES: usize = size::sum(X::BYTES, Y::BYTES);
    type Loaded = (X::Loaded, Y::Loaded);
    #[inline(always)]
    fn loaded(self, token: Token) -> Self::Loaded {
        (self.0.loaded(token), self.1.loaded(token))
    }
}

/// What `Dst` is loaded from: a tile from a [`GlobalTile`], a [`GlobalSlice`] or a part of a tensor, or from one of a
/// [`GlobalMut`](crate::global::GlobalMut) or a `TensorMapMut` that the copy owns meanwhile; a pair from a pair.
///
/// # Safety
///
/// Implemented here and for tensors only: `start` brings `bytes` bytes, `Dst::BYTES` at most.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no source of a load to `{Dst}`",
    label = "no source of that length and type",
    note = "a `Shared<T, N, _>` is loaded from a `GlobalTile<T, N>`, from a `GlobalTileMut<T, N>` that no copy still writes, from a `GlobalSlice<T, N>`, or from what `map.box_at(…)` gives of a tensor of `T`; a pair of tiles is loaded from a pair of these"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait LoadSource<Dst: Arriving>: Bare {
    /// Fails to compile where the source is of another size.
    #[doc(hidden)]
    const FITS: () = ();
    /// The bytes that the copies bring.
    #[doc(hidden)]
    #[inline(always)]
    fn bytes(&self) -> u32 {
        const { bytes::<Dst>() }
    }
    /// Starts the copies; a source with a policy of its own goes by that.
    ///
    /// # Safety
    ///
    /// - The copies own `dst` and, but for what nobody writes, the source until they are complete.
    /// - `mbar` is that of a valid mbarrier of the CTA, in a phase that waits for the bytes.
    #[doc(hidden)]
    unsafe fn start(&self, dst: &Dst, mbar: u32, hint: impl raw::L2CacheHint);
}

// SAFETY: the whole tile.
unsafe impl<T: Element, const N: usize, State, G> LoadSource<Shared<'_, T, N, State, G>>
    for GlobalTile<T, N>
{
    #[inline(always)]
    unsafe fn start(&self, dst: &Shared<'_, T, N, State, G>, mbar: u32, hint: impl raw::L2CacheHint) {
        // SAFETY: the caller's; shared arrays are aligned to 128 bytes.
        unsafe { copy_tile(dst.addr(), self, mbar, hint) }
    }
}

// SAFETY: the whole tile.
unsafe impl<T: Element, const N: usize, State, G> LoadSource<Shared<'_, T, N, State, G>>
    for GlobalTileMut<T, N>
{
    #[inline(always)]
    unsafe fn start(&self, dst: &Shared<'_, T, N, State, G>, mbar: u32, hint: impl raw::L2CacheHint) {
        // SAFETY: as above; the copy owns the source.
        unsafe { copy_tile(dst.addr(), self, mbar, hint) }
    }
}

// SAFETY: the whole slice, in the front of the tile, which is not shorter.
unsafe impl<T: Element, const N: usize, State, G> LoadSource<Shared<'_, T, N, State, G>>
    for GlobalSlice<T, N>
{
    #[inline(always)]
    fn bytes(&self) -> u32 {
        GlobalSlice::bytes(self)
    }
    #[inline(always)]
    unsafe fn start(&self, dst: &Shared<'_, T, N, State, G>, mbar: u32, hint: impl raw::L2CacheHint) {
        // SAFETY: the caller's. The slice's type proves the size and the alignment of the source; shared arrays are aligned to 128
        // bytes.
        unsafe {
            raw::cp_async_bulk_shared_cta_global(dst.addr(), self.base.cast(), self.bytes(), mbar, hint)
        }
    }
}

// SAFETY: each brings its own.
unsafe impl<X: Arriving, Y: Arriving, A: LoadSource<X>, B: LoadSource<Y>> LoadSource<(X, Y)> for (A, B) {
    const FITS: () = (A::FITS, B::FITS).0;
    #[inline(always)]
    fn bytes(&self) -> u32 {
        // Fewer than 2^20: those of both tiles are.
        self.0.bytes() + self.1.bytes()
    }
    #[inline(always)]
    unsafe fn start(&self, dst: &(X, Y), mbar: u32, hint: impl raw::L2CacheHint) {
        // SAFETY: the caller's.
        unsafe {
            self.0.start(&dst.0, mbar, hint);
            self.1.start(&dst.1, mbar, hint);
        }
    }
}

// SAFETY: as the source without the policy.
#[diagnostic::do_not_recommend]
unsafe impl<Dst: Arriving, Src: LoadSource<Dst>> LoadSource<Dst> for Hinted<Src> {
    const FITS: () = Src::FITS;
    #[inline(always)]
    fn bytes(&self) -> u32 {
        self.handle.bytes()
    }
    #[inline(always)]
    unsafe fn start(&self, dst: &Dst, mbar: u32, _: impl raw::L2CacheHint) {
        // SAFETY: the caller's.
        unsafe { self.handle.start(dst, mbar, self.policy.hint()) }
    }
}

/// Starts the copy of a tile of global memory.
///
/// # Safety
///
/// As [`LoadSource::start`]; `dst` is the `.shared::cta` address of the destination, aligned to 16.
#[inline(always)]
pub(crate) unsafe fn copy_tile<T, const N: usize>(
    dst: u32,
    src: &impl TileSource<T, N>,
    mbar: u32,
    hint: impl raw::L2CacheHint,
) {
    let (src, size) = (src.base().cast(), const { size::shared(size::bytes::<T, N>()) });
    // SAFETY: the caller's. The tile's type proves the size and the alignment of the source.
    unsafe { raw::cp_async_bulk_shared_cta_global(dst, src, size, mbar, hint) }
}
