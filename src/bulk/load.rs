//! Bulk loads (TMA loads) that complete on an mbarrier: of one or more tiles, from global memory or from tensors.

use crate::async_group::Token;
use crate::cache_policy::{Bare, Hinted, L2Policy};
use crate::global::{GlobalSlice, GlobalTile, GlobalTileMut, TileSource};
use crate::group::{Cta, Passed, ThreadGroup, Transitions};
use crate::mark::{Group, hold};
use crate::mbarrier::{Arrivable, Arrived, Mbarrier, Ready};
use crate::qualifier::cache_hint;
use crate::raw;
use crate::shared::{AsyncDestination, Element, Loaded, Shared};
use crate::size;

/// Bulk copies (`cp.async.bulk`) in flight from global to shared memory, which complete on one mbarrier. The handle owns all
/// three ends: sources, destinations and mbarrier.
///
/// `Dst` is a tile, or a nested pair of tiles. `Src` is the source of each tile, in the same pairs.
#[must_use = "a copy in flight has to be waited for: call `.wait(&cta)`"]
#[derive(Debug)]
pub struct Load<Dst, Src, G = Cta> {
    bar: Mbarrier<Arrived, 1, G>,
    dst: Dst,
    src: Src,
}

/// Starts the bulk copy of one or more tiles to free shared memory, which completes on a ready mbarrier (CUDA's
/// `cuda::device::memcpy_async_tx`).
///
/// The source of a tile is a tile of global memory, a [`GlobalSlice`], which fills the front of the tile, or a part of a tensor
/// with as many elements, including elements outside of the tensor. A pair of sources `(x, y)` is loaded into a pair of tiles
/// `(a, b)`, on the same mbarrier. The tiles of one load have 2^20 - 1 bytes together at most, as many as an mbarrier counts.
///
/// Collective in the group.
///
/// PTX: by the leader `mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 state, [bar], bytes;`, then for each tile of global
/// memory `cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [dst], [src], bytes, [bar];`, for each part of a tensor,
/// here a `Box2`, `cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [dst], [map, {x, y}], [bar];`; by
/// the other threads `mbarrier.arrive.release.cta.shared::cta.b64 state, [bar];`
///
/// Loads a box of a matrix, and a tile of the vector that multiplies the matrix:
///
/// ```
/// # use ptx::{bulk, global::GlobalTile, group::Cta, mbarrier::{Mbarrier, Uninit}, shared::SharedArray};
/// # use ptx::tensor::{Box2, TensorMap};
/// # type Tiles = (SharedArray<f32, 2048>, SharedArray<f32, 64>);
/// # type Map = TensorMap<f32, Box2<64, 32>>;
/// # fn kernel(cta: Cta, tiles: Tiles, bar: Mbarrier<Uninit>, map: Map, x: GlobalTile<f32, 64>) {
/// cta.finish((tiles, bar), |cta, (tiles, bar)| {
///     let (_bar, (a, x), _) = bulk::load(cta, bar, tiles, (map.box_at([2, 1]), x)).wait(cta);
///     let product = a.get(64 + 2).and_then(|a| Some(a * x.get(2)?)); // element 130 of row 33
///     ((a.end(), x.end()), ())
/// });
/// # }
/// ```
#[inline(always)]
#[track_caller]
#[doc(alias(
    "SM90_BULK_COPY_G2S",
    "SM90_TMA_LOAD",
    "cp_async_bulk",
    "cuda::device::barrier_arrive_tx",
    "cuda::device::memcpy_async_tx",
    "cuda::ptx::cp_async_bulk"
))]
pub fn load<Dst: Destination<G>, Src: LoadSource<Dst>, G: ThreadGroup>(
    group: &G,
    bar: Mbarrier<impl Arrivable, 1, G>,
    dst: Dst,
    src: Src,
) -> Load<Dst, Src::Handle, G> {
    const { (Src::FITS, bytes::<Dst>()).0 };
    start_load(group, bar, dst, src)
}

/// Starts a [`load`] whose mbarrier phase also serves, in place of a `__syncthreads()`, as the barrier of `transitions`
/// ([`AfterSync`](crate::group::AfterSync), such as the release of another tile, or a tuple). Every thread arrives in the phase after its part of the
/// transitions, so a wait for the load is also a wait for all threads. A loop of loads and stores then needs no other barrier
/// before it fills the stored tiles again.
///
/// Collective in the group.
///
/// PTX: as [`load`].
///
/// ```
/// # use ptx::{bulk, global::{GlobalTile, GlobalTileMut}, group::Cta, mbarrier::{Mbarrier, Ready}};
/// # use ptx::shared::{Fenced, Free, Loaded, Shared};
/// # type Tile<'s, S> = Shared<'s, f32, 64, S>;
/// # fn kernel<'s>(cta: &Cta, bar: Mbarrier<Ready>, tile: Tile<'s, Free>, src: GlobalTile<f32, 64>, out: Tile<'s, Fenced>,
/// #     dst: GlobalTileMut<f32, 64>) -> (Tile<'s, Loaded>, Tile<'s, Free>) {
/// let store = bulk::store(cta, out, dst).commit(cta);
/// let load = bulk::load_with(cta, bar, tile, src, store.wait_read(cta));
/// let (_bar, tile, _src, out) = load.wait(cta); // `tile` is loaded, and the store has read `out`
/// # (tile, out) }
/// ```
#[inline(always)]
#[track_caller]
pub fn load_with<Dst: Destination<G>, Src: LoadSource<Dst>, T: Transitions<G>, G: ThreadGroup>(
    group: &G,
    bar: Mbarrier<impl Arrivable, 1, G>,
    dst: Dst,
    src: Src,
    transitions: T,
) -> LoadWith<Dst, Src::Handle, T, G> {
    LoadWith { load: load(group, bar, dst, src), transitions }
}

/// A [`Load`] in flight that saves a `__syncthreads()`: the wait for its mbarrier phase, in which every thread arrives, also
/// completes the transitions that [`load_with`] took.
#[must_use = "a copy in flight has to be waited for: call `.wait(&cta)`"]
#[derive(Debug)]
pub struct LoadWith<Dst, Src, T, G = Cta> {
    load: Load<Dst, Src, G>,
    transitions: T,
}

impl<Dst: Arriving, Src, T: Transitions<G>, G: ThreadGroup> LoadWith<Dst, Src, T, G> {
    /// Waits until all copies of this load have arrived in shared memory and all threads have made the call of [`load_with`]
    /// (`mbarrier.try_wait`). Returns the results of [`Load::wait`], and the handles of the transitions.
    ///
    /// Collective in the group.
    ///
    /// PTX, repeated while false: `mbarrier.try_wait.acquire.cta.shared::cta.b64 waitComplete, [bar], state;`
    #[inline(always)]
    #[track_caller]
    pub fn wait(self, group: &G) -> (Mbarrier<Ready, 1, G>, Dst::Loaded, Src, T::Handles) {
        let (bar, loaded, src) = self.load.wait(group);
        // The phase counts an arrival of every thread, and each thread arrived after its part of the transitions.
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

/// Starts the copies of a [`load`], which has asserted by `bytes` that the sources bring fewer than 2^20 bytes.
#[inline(always)]
#[track_caller]
fn start_load<Dst: Destination<G>, Src: LoadSource<Dst>, G: ThreadGroup>(
    group: &G,
    bar: Mbarrier<impl Arrivable, 1, G>,
    dst: Dst,
    src: Src,
) -> Load<Dst, Src::Handle, G> {
    meet!(group; bar.addr());
    dst.hold();
    src.hold::<G>();
    let (mbar, bytes) = (bar.addr(), src.bytes());
    let bar = if group.is_leader() {
        // SAFETY: the copies below bring `bytes` bytes, fewer than 2^20. The `Load` owns the mbarrier and the free destinations;
        // it owns each source, or no thread writes the source. A scope does not end before the wait.
        unsafe {
            let bar = bar.arrive_expect_tx(bytes);
            src.start(&dst, mbar, cache_hint::None);
            bar
        }
    } else {
        bar.arrive_alone()
    };
    Load { bar, dst, src: src.bare() }
}

impl<Dst: Arriving, Src, G: ThreadGroup> Load<Dst, Src, G> {
    /// Waits until all copies of this load have arrived in shared memory, which the threads may then read (`mbarrier.try_wait`).
    /// Then the mbarrier is ready for its next phase, and no copy reads a source.
    ///
    /// Collective in the group.
    ///
    /// PTX, repeated while false: `mbarrier.try_wait.acquire.cta.shared::cta.b64 waitComplete, [bar], state;`
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "cuda::barrier::wait")]
    pub fn wait(self, group: &G) -> (Mbarrier<Ready, 1, G>, Dst::Loaded, Src) {
        (self.bar.wait(group), self.dst.loaded(Token::NEW), self.src)
    }
}

/// The destination of a load: free shared memory, or a pair of destinations.
///
/// # Safety
///
/// Implemented in this crate only: the memory is free, and the group `G` holds it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a destination of a load",
    label = "neither free shared memory that `{G}` holds, nor a pair of destinations",
    note = "pass free shared memory of the group that makes the call: a `Shared<T, N, Free>` of a `Cta`, a `Shared<T, N, Free, Thread>` of a `Thread`, or a pair `(a, b)`; three tiles are a pair of a pair and a tile",
    note = "`cta.async_scope` makes a `Shared<T, N, Free>` of a `SharedArray<T, N>`; for memory that `cta.invoke_one` hands over, pass the `thread`, not the `cta`",
    note = "call `.sync(cta)` on an `AfterSync`, which gives its handle"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait Destination<G>: Arriving {}
// SAFETY: in an `AsyncDestination` state the memory is free, and the handle's type names `G` as its holder.
unsafe impl<T: Element, const N: usize, State: AsyncDestination, G: Group> Destination<G>
    for Shared<'_, T, N, State, G>
{
}
// SAFETY: both halves are free and held by `G` (`Destination`).
unsafe impl<G, X: Destination<G>, Y: Destination<G>> Destination<G> for (X, Y) {}

/// Shared memory that a load fills: a tile, or a pair.
///
/// # Safety
///
/// Implemented in this crate only: the tiles have `BYTES` bytes in all.
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait Arriving {
    #[doc(hidden)]
    const BYTES: usize;
    /// States that the threads of the group hold the same tiles ([`mark::hold`](crate::mark::hold)).
    #[doc(hidden)]
    fn hold(&self);
    /// The tiles after the copies have filled them.
    type Loaded;
    /// Returns the handles of the filled tiles, in the state [`Loaded`](crate::shared::Loaded). The token proves that the caller
    /// has waited for the copies.
    #[doc(hidden)]
    fn loaded(self, token: Token) -> Self::Loaded;
}

// SAFETY: `N` elements of `T` have `size::bytes::<T, N>()` bytes.
unsafe impl<'s, T: Element, const N: usize, State, G: Group> Arriving for Shared<'s, T, N, State, G> {
    const BYTES: usize = size::bytes::<T, N>();
    #[inline(always)]
    fn hold(&self) {
        hold::<G>(self.addr());
    }
    type Loaded = Shared<'s, T, N, Loaded, G>;
    #[inline(always)]
    fn loaded(self, _: Token) -> Self::Loaded {
        self.into_state()
    }
}

// SAFETY: a pair has the bytes of both halves.
unsafe impl<X: Arriving, Y: Arriving> Arriving for (X, Y) {
    const BYTES: usize = size::sum(X::BYTES, Y::BYTES);
    #[inline(always)]
    fn hold(&self) {
        self.0.hold();
        self.1.hold();
    }
    type Loaded = (X::Loaded, Y::Loaded);
    #[inline(always)]
    fn loaded(self, token: Token) -> Self::Loaded {
        (self.0.loaded(token), self.1.loaded(token))
    }
}

/// A source of a load into `Dst`: a [`GlobalTile`], a [`GlobalSlice`], a part of a tensor, or a tile of a
/// [`GlobalMut`](crate::global::GlobalMut) or a `TensorMapMut`, which the copy owns until the wait. A pair has a pair of sources.
///
/// # Safety
///
/// Implemented in this crate only: `start` starts copies of `bytes` bytes, at most `Dst::BYTES`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a source of a load into `{Dst}`",
    label = "not a source of that length and element type",
    note = "load a `Shared<T, N, _>` from a `GlobalTile<T, N>`, a `GlobalTileMut<T, N>` that no copy is writing, a `GlobalSlice<T, N>`, or the result of `map.box_at(…)` for a tensor of `T`; load a pair of tiles from a pair of sources",
    note = "a part of the CTA, such as a `Thread`, loads from memory that no thread writes: the other threads have a `GlobalTileMut` too, and do not wait for the part"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait LoadSource<Dst: Arriving>: Bare {
    /// Fails to compile if the source has another size than `Dst`.
    #[doc(hidden)]
    const FITS: () = ();
    /// The number of bytes that the copies of this source bring, which the mbarrier expects (`expect_tx`).
    #[doc(hidden)]
    #[inline(always)]
    fn bytes(&self) -> u32 {
        const { bytes::<Dst>() }
    }
    /// States that the threads of the group load the same tile, if threads may write it ([`mark::deal`](crate::mark::deal)).
    #[doc(hidden)]
    #[inline(always)]
    fn hold<G: Group>(&self) {}
    /// Starts the copies of this source to `dst`, which complete on the mbarrier at `mbar`. A source with its own cache policy
    /// uses that policy instead of `hint`.
    ///
    /// # Safety
    ///
    /// - Until the copies are complete, they own `dst`, and they own the source unless no thread writes the source.
    /// - `mbar` is the address of a valid mbarrier of this CTA, whose current phase expects the bytes.
    #[doc(hidden)]
    unsafe fn start(&self, dst: &Dst, mbar: u32, hint: impl raw::L2CacheHint);
}

// SAFETY: the copy brings the whole tile, which has `Dst::BYTES` bytes.
unsafe impl<T: Element, const N: usize, State, G: Group> LoadSource<Shared<'_, T, N, State, G>>
    for GlobalTile<T, N>
{
    #[inline(always)]
    unsafe fn start(&self, dst: &Shared<'_, T, N, State, G>, mbar: u32, hint: impl raw::L2CacheHint) {
        // SAFETY: the copy owns the destination, and the mbarrier is valid (`# Safety`); arrays are aligned to 128 bytes.
        unsafe { copy_tile(dst.addr(), self, mbar, hint) }
    }
}

// SAFETY: the copy brings the whole tile, which has `Dst::BYTES` bytes.
// A part of the CTA does not load from it: the copy would give the tile back to the part, and the other threads have it too.
unsafe impl<T: Element, const N: usize, State> LoadSource<Shared<'_, T, N, State>> for GlobalTileMut<T, N> {
    #[inline(always)]
    fn hold<G: Group>(&self) {
        TileSource::hold::<G>(self);
    }
    #[inline(always)]
    unsafe fn start(&self, dst: &Shared<'_, T, N, State>, mbar: u32, hint: impl raw::L2CacheHint) {
        // SAFETY: the copy owns source and destination, and the mbarrier is valid (`# Safety`); arrays are aligned to 128 bytes.
        unsafe { copy_tile(dst.addr(), self, mbar, hint) }
    }
}

// SAFETY: the copy brings the whole slice, of at most `N` elements, to the front of the tile, which has `N`.
unsafe impl<T: Element, const N: usize, State, G: Group> LoadSource<Shared<'_, T, N, State, G>>
    for GlobalSlice<T, N>
{
    #[inline(always)]
    fn bytes(&self) -> u32 {
        GlobalSlice::bytes(self)
    }
    #[inline(always)]
    unsafe fn start(&self, dst: &Shared<'_, T, N, State, G>, mbar: u32, hint: impl raw::L2CacheHint) {
        // SAFETY: the slice's type proves the size and the alignment of the source; shared arrays are aligned to 128 bytes. The
        // copy owns the destination, and the mbarrier is valid (`# Safety`).
        unsafe {
            raw::cp_async_bulk_shared_cta_global(dst.addr(), self.base.cast(), self.bytes(), mbar, hint)
        }
    }
}

// SAFETY: each half brings at most the bytes of its own destination (`LoadSource`).
unsafe impl<X: Arriving, Y: Arriving, A: LoadSource<X>, B: LoadSource<Y>> LoadSource<(X, Y)> for (A, B) {
    const FITS: () = (A::FITS, B::FITS).0;
    #[inline(always)]
    fn bytes(&self) -> u32 {
        // No overflow: the two destinations together have fewer than 2^20 bytes.
        self.0.bytes() + self.1.bytes()
    }
    #[inline(always)]
    fn hold<G: Group>(&self) {
        self.0.hold::<G>();
        self.1.hold::<G>();
    }
    #[inline(always)]
    unsafe fn start(&self, dst: &(X, Y), mbar: u32, hint: impl raw::L2CacheHint) {
        // SAFETY: the caller's promises for the pair (`# Safety`) include those for each half.
        unsafe {
            self.0.start(&dst.0, mbar, hint);
            self.1.start(&dst.1, mbar, hint);
        }
    }
}

// SAFETY: the source starts the same copies (`LoadSource`); the policy is a hint.
#[diagnostic::do_not_recommend]
unsafe impl<Dst: Arriving, Src: LoadSource<Dst>> LoadSource<Dst> for Hinted<Src> {
    const FITS: () = Src::FITS;
    #[inline(always)]
    fn bytes(&self) -> u32 {
        self.handle.bytes()
    }
    #[inline(always)]
    fn hold<G: Group>(&self) {
        self.handle.hold::<G>();
    }
    #[inline(always)]
    unsafe fn start(&self, dst: &Dst, mbar: u32, _: impl raw::L2CacheHint) {
        // SAFETY: the caller meets the same conditions (`# Safety`).
        unsafe { self.handle.start(dst, mbar, self.policy.hint()) }
    }
}

/// Starts the bulk copy of a tile of global memory.
///
/// # Safety
///
/// The clauses of [`LoadSource::start`] hold, and `dst` is the `.shared::cta` address of the destination, aligned to 16 bytes.
#[inline(always)]
pub(crate) unsafe fn copy_tile<T, const N: usize>(
    dst: u32,
    src: &impl TileSource<T, N>,
    mbar: u32,
    hint: impl raw::L2CacheHint,
) {
    let (src, size) = (src.base().cast(), const { size::shared(size::bytes::<T, N>()) });
    // SAFETY: the destination is owned and aligned, and the mbarrier is valid (`# Safety`); the type of the tile proves the size
    // and the alignment of the source.
    unsafe { raw::cp_async_bulk_shared_cta_global(dst, src, size, mbar, hint) }
}

handles! { Load<(), ()>, LoadWith<(), (), ()> }
