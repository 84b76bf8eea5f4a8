//! The tiles of a stage of a [`Pipeline`](super::Pipeline), their sources, and the CTAs that share them.

use core::ops::Deref;

use crate::bulk::copy_tile;
use crate::cache_policy::{Hinted, L2Policy};
use crate::cluster::{Cluster, Peers};
use crate::global::GlobalTile;
use crate::qualifier::multicast;
use crate::raw;
use crate::shared::{ALIGN, Element, Loaded, Shared};
use crate::size;
use crate::tensor::{LoadShape, MulticastShape, TensorTile, box_bytes, shape_bytes};

/// The contents of a stage of a [`Pipeline`](super::Pipeline): a tile `[T; N]` of `N` elements, an operand of tensor
/// cores (`wgmma::Tile`), or a pair of such contents.
///
/// # Safety
///
/// Implemented here only.
#[diagnostic::on_unimplemented(
    message = "a stage of a pipeline cannot hold `{Self}`",
    label = "neither a tile nor a pair of tiles",
    note = "a stage holds a tile `[T; N]` of `N` elements, a `wgmma::Tile` for tensor cores, or a pair: `([f32; 512], [u32; 64])`; three tiles are a pair of a pair and a tile"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait StageTiles {
    /// The bytes that the copies into a stage write.
    #[doc(hidden)]
    const BYTES: usize;
    /// The alignment of a stage in shared memory: 128 bytes, or more for operands of tensor cores.
    #[doc(hidden)]
    const ALIGN: u32 = ALIGN;
    /// The bytes of a stage in shared memory, each tile aligned to `ALIGN` bytes.
    #[doc(hidden)]
    const SIZE: usize;
    /// A [`StageTile`], or a pair of views.
    type View<'a>;
    /// Returns the tiles at `addr` as a [`StageTile`], or as a pair of views.
    ///
    /// # Safety
    ///
    /// The tiles lie at `addr`, have arrived, and are not written during `'a`.
    #[doc(hidden)]
    unsafe fn view<'a>(addr: u32) -> Self::View<'a>;
}

// SAFETY: `BYTES` are the bytes of `N` elements, and `SIZE` holds them.
unsafe impl<T: Element, const N: usize> StageTiles for [T; N] {
    const BYTES: usize = size::bytes::<T, N>();
    const SIZE: usize = size::aligned(Self::BYTES, ALIGN);
    type View<'a> = StageTile<'a, T, N>;
    #[inline(always)]
    unsafe fn view<'a>(addr: u32) -> StageTile<'a, T, N> {
        StageTile { tile: Shared::new(addr) }
    }
}

/// The offset of the second tile of a stage from the first.
pub(super) const fn second<X: StageTiles, Y: StageTiles>() -> u32 {
    size::shared(size::aligned(X::SIZE, Y::ALIGN))
}

// SAFETY: `SIZE` holds both tiles, and `view` finds the second one after the first.
unsafe impl<X: StageTiles, Y: StageTiles> StageTiles for (X, Y) {
    const BYTES: usize = size::sum(X::BYTES, Y::BYTES);
    const ALIGN: u32 = if X::ALIGN > Y::ALIGN { X::ALIGN } else { Y::ALIGN };
    const SIZE: usize = size::aligned(size::sum(second::<X, Y>() as usize, Y::SIZE), Self::ALIGN);
    type View<'a> = (X::View<'a>, Y::View<'a>);
    #[inline(always)]
    unsafe fn view<'a>(addr: u32) -> Self::View<'a> {
        // SAFETY: both tiles lie at `addr` and have arrived (`# Safety`); the second follows the first.
        unsafe { (X::view(addr), Y::view(addr + const { second::<X, Y>() })) }
    }
}

/// A tile of a full stage ([`FullStage::tiles`](super::FullStage::tiles)), which each thread reads as [`Shared`] memory, by
/// `Deref`.
///
/// ```
/// # use ptx::{group::Warps, pipeline::FullStage};
/// /// This consumer's share of a product of two tiles.
/// fn dot(warps: &Warps, stage: &FullStage<'_, ([f32; 512], [f32; 512]), 4>) -> f32 {
///     let (x, y) = stage.tiles();
///     let own = (warps.thread_rank()..512).step_by(warps.thread_count() as usize);
///     own.filter_map(|i| Some(x.get(i as usize)? * y.get(i as usize)?)).sum()
/// }
/// ```
#[derive(Debug)]
pub struct StageTile<'a, T, const N: usize> {
    /// Only lent: no copy writes the tile before every consumer has released the stage, which `'a` borrows.
    tile: Shared<'a, T, N, Loaded>,
}

impl<'a, T, const N: usize> Deref for StageTile<'a, T, N> {
    type Target = Shared<'a, T, N, Loaded>;
    #[inline(always)]
    fn deref(&self) -> &Self::Target {
        &self.tile
    }
}

/// The CTAs that share the tiles of a stage of a [`Pipeline`](super::Pipeline) (`.multicast::cluster`): `()` if the executing CTA
/// shares none, [`Peers`], or for a pair of tiles a pair.
///
/// # Safety
///
/// Implemented here only.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not name CTAs that share tiles",
    label = "not peers of the cluster",
    note = "it is `Peers`, as `cluster.row::<2>()` gives them, or for a pair of tiles a pair: `(row, column)`, `(row, ())`"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait Sharing: Copy {
    /// How many CTAs a consumer warp signals when it releases a stage. 0 if the warp signals only its own CTA's producer.
    #[doc(hidden)]
    const CTAS: u32;
    /// Returns the rank in the cluster of the `i`-th CTA that shares the tiles.
    #[doc(hidden)]
    fn cta(&self, i: u32) -> u32;
    /// States that all CTAs of the cluster divide it in the same way ([`mark::hold`](crate::mark::hold)).
    #[doc(hidden)]
    fn hold(&self);
}

// SAFETY: `()` names no other CTA.
unsafe impl Sharing for () {
    const CTAS: u32 = 0;
    #[inline(always)]
    fn cta(&self, _i: u32) -> u32 {
        0
    }
    #[inline(always)]
    fn hold(&self) {}
}

// SAFETY: these are the peers.
unsafe impl<const CTAS: u32> Sharing for Peers<'_, CTAS> {
    const CTAS: u32 = CTAS;
    #[inline(always)]
    fn cta(&self, i: u32) -> u32 {
        Peers::cta(self, i)
    }
    #[inline(always)]
    fn hold(&self) {
        crate::mark::hold::<Cluster<'_>>(self.stride());
    }
}

// SAFETY: these are the CTAs of both. The executing CTA is in each, and gets one arrival for each.
unsafe impl<G: Sharing, H: Sharing> Sharing for (G, H) {
    const CTAS: u32 = G::CTAS + H::CTAS;
    #[inline(always)]
    fn cta(&self, i: u32) -> u32 {
        if i < G::CTAS { self.0.cta(i) } else { self.1.cta(i - G::CTAS) }
    }
    #[inline(always)]
    fn hold(&self) {
        self.0.hold();
        self.1.hold();
    }
}

/// The CTAs that share the tiles of a stage ([`Sharing`]), all of them alive in the cluster scope `'c`.
///
/// # Safety
///
/// Implemented here only.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not name CTAs of this cluster that share tiles",
    label = "not peers of the cluster",
    note = "it is `Peers`, as `cluster.row::<2>()` gives them, or for a pair of tiles a pair: `(row, column)`, `(row, ())`"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait SharingIn<'c>: Sharing {}
// SAFETY: `()` names no other CTA.
unsafe impl<'c> SharingIn<'c> for () {}
// SAFETY: the peers belong to the scope `'c`.
unsafe impl<'c, const CTAS: u32> SharingIn<'c> for Peers<'c, CTAS> {}
// SAFETY: both belong to the scope `'c`.
unsafe impl<'c, G: SharingIn<'c>, H: SharingIn<'c>> SharingIn<'c> for (G, H) {}

/// Sources from which a producer loads a stage of `S` that the CTAs of `G` share: for a tile a [`GlobalTile`] or a box of a
/// tensor, for a pair of tiles a pair.
///
/// # Safety
///
/// `load` brings `S::BYTES` bytes to this CTA, together with the loads of the other CTAs of `G`.
#[diagnostic::on_unimplemented(
    message = "a stage of `{S}` cannot be loaded from `{Self}`",
    label = "not a source for this stage",
    note = "pass a `GlobalTile<T, N>` or `map.box_at(…)` of a tensor of `T` to load a stage of one tile `[T; N]`, and a pair of sources to load a stage of two tiles",
    note = "a source must be `Copy`: no thread writes the source while the kernel runs"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait StageSource<S: StageTiles, G: Sharing>: Copy {
    /// Fails to compile if the source and the stage differ in size, or if the CTAs cannot divide the source.
    #[doc(hidden)]
    const FITS: ();
    /// Starts the copies of this CTA's part into the stage at `addr` of each CTA of `G`. A source with an L2 eviction policy of
    /// its own ignores `hint`.
    ///
    /// # Safety
    ///
    /// In each CTA of `G`, the stage at `addr` is free. Its mbarrier at `full` is valid, in the phase of this load, and expects
    /// the bytes.
    #[doc(hidden)]
    unsafe fn load(self, addr: u32, peers: G, full: u32, hint: impl raw::L2CacheHint);
}

// SAFETY: the source inside `Hinted` brings the bytes; the policy changes none.
#[diagnostic::do_not_recommend]
unsafe impl<S: StageTiles, G: Sharing, Src: StageSource<S, G>> StageSource<S, G> for Hinted<Src> {
    const FITS: () = Src::FITS;
    #[inline(always)]
    unsafe fn load(self, addr: u32, peers: G, full: u32, _: impl raw::L2CacheHint) {
        // SAFETY: the caller keeps the contract of `load` (`# Safety`).
        unsafe { self.handle.load(addr, peers, full, self.policy.hint()) }
    }
}

// SAFETY: one copy brings all bytes of the tile, and `()` names no other CTA.
unsafe impl<T: Element, const N: usize> StageSource<[T; N], ()> for GlobalTile<T, N> {
    const FITS: () = ();
    #[inline(always)]
    unsafe fn load(self, addr: u32, _peers: (), full: u32, hint: impl raw::L2CacheHint) {
        // SAFETY: the stage is free and its mbarrier valid (`# Safety`). No thread writes the source of a `GlobalTile`.
        unsafe { copy_tile(addr, &self, full, hint) }
    }
}

// SAFETY: each peer brings one part to all of them.
unsafe impl<T: Element, const N: usize, const CTAS: u32> StageSource<[T; N], Peers<'_, CTAS>>
    for GlobalTile<T, N>
{
    const FITS: () = assert!(
        size::bytes::<T, N>().is_multiple_of(size::product([16, CTAS as usize])),
        "each peer copies its part of the tile: choose tiles of a multiple of 16 bytes per CTA (PTX ISA 9.7.9.25.4.1)"
    );
    #[inline(always)]
    unsafe fn load(self, addr: u32, peers: Peers<'_, CTAS>, full: u32, hint: impl raw::L2CacheHint) {
        let size = const { size::shared(size::bytes::<T, N>()) / CTAS };
        let part = peers.cta_rank() * size;
        let mask = multicast::Cluster(peers.mask());
        // SAFETY: the stage is free and its mbarrier valid in each CTA (`# Safety`). `GlobalTile` proves the alignment of the
        // source, and parts are multiples of 16 bytes (`FITS`).
        unsafe {
            raw::cp_async_bulk_shared_cluster_global(
                addr + part,
                self.base.cast::<u8>().wrapping_add(part as usize),
                size,
                full,
                mask,
                hint,
            )
        }
    }
}

// SAFETY: `FITS` asserts that the shape brings the bytes of the tile.
unsafe impl<T: Element, const N: usize, S: LoadShape> StageSource<[T; N], ()> for TensorTile<T, S> {
    const FITS: () = {
        box_bytes::<T, S, N>();
    };
    #[inline(always)]
    unsafe fn load(self, addr: u32, _peers: (), full: u32, hint: impl raw::L2CacheHint) {
        // SAFETY: the stage is free and its mbarrier valid (`# Safety`). The map has this shape by the contract of
        // `TensorMap::from_raw`.
        unsafe { S::load(addr, self.map.object, self.at, full, hint) }
    }
}

// SAFETY: each peer brings one part to all of them; `FITS` asserts that the parts make up the tile.
unsafe impl<T: Element, const N: usize, S: MulticastShape, const CTAS: u32>
    StageSource<[T; N], Peers<'_, CTAS>> for TensorTile<T, S>
{
    const FITS: () = {
        let bytes = shape_bytes::<T, S>();
        assert!(
            size::product([S::LEN, CTAS as usize]) == N,
            "each peer loads its part of the tile: choose a box of `N / CTAS` elements for the tensor map"
        );
        assert!(
            CTAS == 1 || bytes.is_multiple_of(ALIGN),
            "a box in shared memory is aligned to 128 bytes: choose a box of a multiple of 128 bytes per CTA (PTX ISA 9.7.9.25.5)"
        );
    };
    #[inline(always)]
    unsafe fn load(self, addr: u32, peers: Peers<'_, CTAS>, full: u32, hint: impl raw::L2CacheHint) {
        let dst = addr + peers.cta_rank() * const { size::shared(size::bytes::<T, N>()) / CTAS };
        // SAFETY: the stage is free and its mbarrier valid in each CTA (`# Safety`). The map has this shape by the contract of
        // `TensorMap::from_raw`, and `FITS` asserts that parts are aligned to 128 bytes.
        unsafe { S::multicast(dst, self.map.object, self.at, full, peers.mask(), hint) }
    }
}

// SAFETY: each source brings the bytes of its tile (`StageSource<_, ()>`).
unsafe impl<X: StageTiles, Y: StageTiles, A: StageSource<X, ()>, B: StageSource<Y, ()>>
    StageSource<(X, Y), ()> for (A, B)
{
    const FITS: () = (A::FITS, B::FITS).0;
    #[inline(always)]
    unsafe fn load(self, addr: u32, _peers: (), full: u32, hint: impl raw::L2CacheHint) {
        // SAFETY: both tiles of the stage are free, the mbarrier expects the bytes of both, and the second tile follows the
        // first.
        unsafe {
            self.0.load(addr, (), full, hint);
            self.1.load(addr + const { second::<X, Y>() }, (), full, hint);
        }
    }
}

// SAFETY: each source brings the bytes of its tile, together with its peers, which share both tiles.
unsafe impl<'c, X: StageTiles, Y: StageTiles, A, B, const CTAS: u32> StageSource<(X, Y), Peers<'c, CTAS>>
    for (A, B)
where
    A: StageSource<X, Peers<'c, CTAS>>,
    B: StageSource<Y, Peers<'c, CTAS>>,
{
    const FITS: () = (A::FITS, B::FITS).0;
    #[inline(always)]
    unsafe fn load(self, addr: u32, peers: Peers<'c, CTAS>, full: u32, hint: impl raw::L2CacheHint) {
        // SAFETY: both tiles of the stage are free, the mbarrier expects the bytes of both, and the second tile follows the
        // first.
        unsafe {
            self.0.load(addr, peers, full, hint);
            self.1.load(addr + const { second::<X, Y>() }, peers, full, hint);
        }
    }
}

// SAFETY: each source brings the bytes of its tile, together with the peers of that tile.
unsafe impl<X: StageTiles, Y: StageTiles, A, B, G: Sharing, H: Sharing> StageSource<(X, Y), (G, H)> for (A, B)
where
    A: StageSource<X, G>,
    B: StageSource<Y, H>,
{
    const FITS: () = (A::FITS, B::FITS).0;
    #[inline(always)]
    unsafe fn load(self, addr: u32, (peers, other): (G, H), full: u32, hint: impl raw::L2CacheHint) {
        // SAFETY: both tiles of the stage are free, the mbarrier expects the bytes of both, and the second tile follows the
        // first.
        unsafe {
            self.0.load(addr, peers, full, hint);
            self.1.load(addr + const { second::<X, Y>() }, other, full, hint);
        }
    }
}

handles! { StageTile<u32, 4> }
