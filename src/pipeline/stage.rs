//! What a stage of a [`Pipeline`](super::Pipeline) holds, what it is loaded from, and which CTAs have that in common.

use core::marker::PhantomData;

use crate::bulk::copy_tile;
use crate::cache_policy::{Hinted, L2Policy};
use crate::cluster::Group;
use crate::global::GlobalTile;
use crate::qualifier::multicast;
use crate::raw;
use crate::shared::{ALIGN, Element, Loaded, Swizzle, View2d, rows, swizzled};
use crate::size;
use crate::tensor::{LoadShape, MulticastShape, TensorTile, shape_bytes, tile_bytes};

/// What a stage holds: a tile `[T; N]` of `N` elements, or a pair of what stages hold.
///
/// # Safety
///
/// Implemented here only.
#[diagnostic::on_unimplemented(
    message = "a stage of a pipeline does not hold `{Self}`",
    label = "no tile and no pair of tiles",
    note = "a stage holds a tile `[T; N]` of `N` elements, or a pair: `([f32; 512], [u32; 64])`; three tiles are a pair of a pair and a tile"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait StageTiles {
    /// What the copies bring.
    #[doc(hidden)]
    const BYTES: usize;
    /// What it takes in shared memory, each tile aligned to 128 bytes.
    #[doc(hidden)]
    const SIZE: usize;
    /// A [`StageTile`], or a pair of views.
    type View<'a>;
    /// # Safety
    ///
    /// The tiles lie at `addr`, have arrived, and stay for `'a`.
    #[doc(hidden)]
    unsafe fn view<'a>(addr: u32) -> Self::View<'a>;
}

// SAFETY: `BYTES` are those of `N` elements, which `SIZE` holds.
unsafe impl<T: Element, const N: usize> StageTiles for [T; N] {
    const BYTES: usize = size::bytes::<T, N>();
    const SIZE: usize = size::aligned(Self::BYTES, ALIGN);
    type View<'a> = StageTile<'a, T, N>;
    #[inline(always)]
    unsafe fn view<'a>(addr: u32) -> StageTile<'a, T, N> {
        StageTile { addr, _stage: PhantomData }
    }
}

// SAFETY: `SIZE` holds both, the second behind the first, where `view` finds it.
unsafe impl<X: StageTiles, Y: StageTiles> StageTiles for (X, Y) {
    const BYTES: usize = size::sum(X::BYTES, Y::BYTES);
    const SIZE: usize = size::sum(X::SIZE, Y::SIZE);
    type View<'a> = (X::View<'a>, Y::View<'a>);
    #[inline(always)]
    unsafe fn view<'a>(addr: u32) -> Self::View<'a> {
        // SAFETY: the caller's; the second lies behind the first.
        unsafe { (X::view(addr), Y::view(addr + const { size::shared(X::SIZE) })) }
    }
}

/// A tile of a stage that has arrived.
///
/// ```
/// # use ptx::{launch::Warps, pipeline::{FullStage, StageTile}};
/// // A consumer's share of a product of two tiles.
/// fn dot(warps: &Warps, stage: &FullStage<'_, ([f32; 512], [f32; 512]), 4>) -> f32 {
///     let (x, y): (StageTile<f32, 512>, StageTile<f32, 512>) = stage.tiles();
///     let own = (warps.thread_rank()..512).step_by(warps.thread_count() as usize);
///     own.filter_map(|i| Some(x.get(i as usize)? * y.get(i as usize)?)).sum()
/// }
/// ```
#[derive(Debug)]
pub struct StageTile<'a, T, const N: usize> {
    addr: u32,
    _stage: PhantomData<(&'a (), *mut [T; N])>,
}

impl<T, const N: usize> Clone for StageTile<'_, T, N> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, const N: usize> Copy for StageTile<'_, T, N> {}

static_assertions::assert_not_impl_any!(StageTile<'static, u32, 4>: Send, Sync);

impl<'a, T: Element, const N: usize> StageTile<'a, T, N> {
    /// The `.shared::cta` address of the first element.
    ///
    /// ```
    /// # use ptx::pipeline::StageTile;
    /// # fn consume(tile: StageTile<'_, f32, 512>) {
    /// let operand = tile.addr(); // for an instruction of your own that reads shared memory
    /// # }
    /// ```
    #[inline(always)]
    pub fn addr(&self) -> u32 {
        self.addr
    }

    /// Element `i`, or `None` past the end.
    ///
    /// PTX: `ld.weak.shared::cta`
    ///
    /// ```
    /// # use ptx::pipeline::StageTile;
    /// # fn consume(tile: StageTile<'_, f32, 512>) {
    /// let (first, none) = (tile.get(0), tile.get(512));
    /// # }
    /// ```
    #[inline(always)]
    pub fn get(&self, i: usize) -> Option<T> {
        // SAFETY: in bounds; the tile has arrived, and nobody writes it before every consumer has released it.
        (i < N).then(|| unsafe { T::load(self.addr + (i * size_of::<T>()) as u32) })
    }

    /// The sixteen bytes that start at byte `16 * i`, or `None` past the end.
    ///
    /// PTX: `ld.weak.shared::cta.v4.b32`, or `.v2.b64`, or `.b128` ([`Element::Vector`])
    ///
    /// ```
    /// # use ptx::pipeline::StageTile;
    /// # fn consume(tile: StageTile<'_, f32, 512>) {
    /// if let Some([a, b, c, d]) = tile.get_vector(1) {
    ///     let _of_elements_4_to_7 = a + b + c + d;
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn get_vector(&self, i: usize) -> Option<T::Vector> {
        // SAFETY: in bounds, aligned, as tiles are to 128 bytes; the tile has arrived, and nobody writes it before every consumer has released it.
        (i < const { size::vectors::<T, N>() }).then(|| unsafe { T::load_vector(self.addr + 16 * i as u32) })
    }

    /// The tile as a matrix of rows of `W` elements, plain or swizzled.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{pipeline::StageTile, qualifier::swizzle_mode};
    /// # fn consume(tile: StageTile<'_, f32, 1024>, row: usize) -> f32 {
    /// let rows = tile.as_2d::<32>().swizzled(swizzle_mode::B128);
    /// (0..32).filter_map(|x| rows.get([x, row])).sum()
    /// # }
    /// ```
    #[inline(always)]
    pub fn as_2d<const W: usize>(&self) -> View2d<'a, T, W, N, Loaded> {
        const { rows::<W, N>() };
        View2d::new(self.addr)
    }

    /// Where the elements of a tile lie that a tensor copy has brought under this swizzle, as
    /// [`Shared::swizzle`](crate::shared::Shared::swizzle) says.
    ///
    /// ```
    /// # use ptx::{pipeline::StageTile, qualifier::swizzle_mode};
    /// # fn consume(tile: StageTile<'_, f32, 512>) {
    /// let at = tile.swizzle(swizzle_mode::B128);
    /// let of_row_3 = tile.get(at(3 * 32 + 5));
    /// # }
    /// ```
    #[inline(always)]
    pub fn swizzle<M: Swizzle>(&self, _mode: M) -> impl Fn(usize) -> usize + Copy + use<T, N, M> {
        swizzled::<T, M>(self.addr)
    }
}

/// CTAs that have the tiles of a stage in common: `()` for none but the executing one, a [`Group`], or of a pair of tiles a
/// pair of such.
///
/// # Safety
///
/// Implemented here only.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say which CTAs have tiles in common",
    label = "not a group of the cluster",
    note = "it is a `Group`, such as `cluster.row::<2>()` gives, or for a pair of tiles a pair: `(row, column)`, `(row, ())`"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait Sharing: Copy {
    /// How many CTAs a warp of consumers tells that it has released a stage; 0 where it tells its own producer alone.
    #[doc(hidden)]
    const CTAS: u32;
    /// The rank in the cluster of one of them.
    #[doc(hidden)]
    fn cta(&self, i: u32) -> u32;
}

// SAFETY: no other CTA.
unsafe impl Sharing for () {
    const CTAS: u32 = 0;
    #[inline(always)]
    fn cta(&self, _i: u32) -> u32 {
        0
    }
}

// SAFETY: the CTAs of the group.
unsafe impl<const CTAS: u32> Sharing for Group<'_, CTAS> {
    const CTAS: u32 = CTAS;
    #[inline(always)]
    fn cta(&self, i: u32) -> u32 {
        Group::cta(self, i)
    }
}

// SAFETY: those of both; the executing CTA is in each, and told as often.
unsafe impl<G: Sharing, H: Sharing> Sharing for (G, H) {
    const CTAS: u32 = G::CTAS + H::CTAS;
    #[inline(always)]
    fn cta(&self, i: u32) -> u32 {
        if i < G::CTAS { self.0.cta(i) } else { self.1.cta(i - G::CTAS) }
    }
}

/// [`Sharing`] among CTAs that are alive in the scope `'c`.
///
/// # Safety
///
/// Implemented here only.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say which CTAs of this cluster have tiles in common",
    label = "not a group of the cluster",
    note = "it is a `Group`, such as `cluster.row::<2>()` gives, or for a pair of tiles a pair: `(row, column)`, `(row, ())`"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait SharingIn<'c>: Sharing {}
// SAFETY: `()` is of no CTA of the cluster.
unsafe impl<'c> SharingIn<'c> for () {}
// SAFETY: the group is of that scope.
unsafe impl<'c, const CTAS: u32> SharingIn<'c> for Group<'c, CTAS> {}
// SAFETY: both groups are of that scope.
unsafe impl<'c, G: SharingIn<'c>, H: SharingIn<'c>> SharingIn<'c> for (G, H) {}

/// What a stage of `S` is loaded from, in common with the CTAs of `G`: for a tile a [`GlobalTile`] or the part of a
/// tensor, for a pair of tiles a pair.
///
/// # Safety
///
/// `load` brings `S::BYTES` bytes to the CTA, together with the loads of the other CTAs of `G`.
#[diagnostic::on_unimplemented(
    message = "a stage of `{S}` is not loaded from `{Self}`",
    label = "not the source of such a stage",
    note = "a stage of one tile `[T; N]` is loaded from a `GlobalTile<T, N>` or from `map.box_at(…)` of a tensor of `T`; a stage of two tiles from a pair",
    note = "what can be loaded can be copied: nobody writes it while the kernel runs"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait StageSource<S: StageTiles, G: Sharing>: Copy {
    /// Fails to compile where the source is of another size than the stage, or cannot be divided among the CTAs.
    #[doc(hidden)]
    const FITS: ();
    /// Starts the copies of this CTA's part, into the stage at `addr` of each CTA of `G`; a source with a policy of its own goes
    /// by that.
    ///
    /// # Safety
    ///
    /// The stage is free there, and its mbarrier at `full` valid, in the phase of this load, which waits for the bytes.
    #[doc(hidden)]
    unsafe fn load(self, addr: u32, group: G, full: u32, hint: impl raw::L2CacheHint);
}

// SAFETY: as the source without the policy.
#[diagnostic::do_not_recommend]
unsafe impl<S: StageTiles, G: Sharing, Src: StageSource<S, G>> StageSource<S, G> for Hinted<Src> {
    const FITS: () = Src::FITS;
    #[inline(always)]
    unsafe fn load(self, addr: u32, group: G, full: u32, _: impl raw::L2CacheHint) {
        // SAFETY: the caller's.
        unsafe { self.handle.load(addr, group, full, self.policy.hint()) }
    }
}

// SAFETY: one copy of all bytes of the tile, and `()` is of no other CTA.
unsafe impl<T: Element, const N: usize> StageSource<[T; N], ()> for GlobalTile<T, N> {
    const FITS: () = ();
    #[inline(always)]
    unsafe fn load(self, addr: u32, _group: (), full: u32, hint: impl raw::L2CacheHint) {
        // SAFETY: the caller's. Nobody writes the source.
        unsafe { copy_tile(addr, &self, full, hint) }
    }
}

// SAFETY: each CTA of the group brings a part to all.
unsafe impl<T: Element, const N: usize, const CTAS: u32> StageSource<[T; N], Group<'_, CTAS>>
    for GlobalTile<T, N>
{
    const FITS: () = assert!(
        size::bytes::<T, N>().is_multiple_of(size::product([16, CTAS as usize])),
        "each CTA of the group copies its part of a tile: choose tiles of a multiple of 16 bytes a CTA (PTX ISA 9.7.9.25.4.1)"
    );
    #[inline(always)]
    unsafe fn load(self, addr: u32, group: Group<'_, CTAS>, full: u32, hint: impl raw::L2CacheHint) {
        let size = const { size::shared(size::bytes::<T, N>()) / CTAS };
        let part = group.cta_rank() * size;
        let mask = multicast::Cluster(group.mask());
        // SAFETY: the caller's. The tile's type proves the alignment of the source; parts are of a multiple of 16 bytes.
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

// SAFETY: the shape brings as many bytes, asserted.
unsafe impl<T: Element, const N: usize, S: LoadShape> StageSource<[T; N], ()> for TensorTile<T, S> {
    const FITS: () = {
        tile_bytes::<T, S, N>();
    };
    #[inline(always)]
    unsafe fn load(self, addr: u32, _group: (), full: u32, hint: impl raw::L2CacheHint) {
        // SAFETY: the caller's; the map is of that shape by the contract of `TensorMap::from_raw`.
        unsafe { S::load(addr, self.map.object, self.at, full, hint) }
    }
}

// SAFETY: each CTA of the group brings a part to all, of as many bytes, asserted.
unsafe impl<T: Element, const N: usize, S: MulticastShape, const CTAS: u32>
    StageSource<[T; N], Group<'_, CTAS>> for TensorTile<T, S>
{
    const FITS: () = {
        let bytes = shape_bytes::<T, S>();
        assert!(
            size::product([S::LEN, CTAS as usize]) == N,
            "each CTA of the group loads its part of a tile: the box of the tensor map has one `CTAS`th of its elements"
        );
        assert!(
            CTAS == 1 || bytes.is_multiple_of(ALIGN),
            "a box in shared memory is aligned to 128 bytes: choose a part of a multiple of 128 bytes for each CTA (PTX ISA 9.7.9.25.5)"
        );
    };
    #[inline(always)]
    unsafe fn load(self, addr: u32, group: Group<'_, CTAS>, full: u32, hint: impl raw::L2CacheHint) {
        let dst = addr + group.cta_rank() * const { size::shared(size::bytes::<T, N>()) / CTAS };
        // SAFETY: the caller's; the map is of that shape by the contract of `TensorMap::from_raw`; parts are aligned to 128 bytes, as `FITS` asserts.
        unsafe { S::multicast(dst, self.map.object, self.at, full, group.mask(), hint) }
    }
}

// SAFETY: each source brings the bytes of its tile (`StageSource<_, ()>`).
unsafe impl<X: StageTiles, Y: StageTiles, A: StageSource<X, ()>, B: StageSource<Y, ()>>
    StageSource<(X, Y), ()> for (A, B)
{
    const FITS: () = (A::FITS, B::FITS).0;
    #[inline(always)]
    unsafe fn load(self, addr: u32, _group: (), full: u32, hint: impl raw::L2CacheHint) {
        // SAFETY: the caller's.
        unsafe {
            self.0.load(addr, (), full, hint);
            self.1.load(addr + const { size::shared(X::SIZE) }, (), full, hint);
        }
    }
}

// SAFETY: each source brings the bytes of its tile, together with those of the other CTAs of the group, which has both tiles in common.
unsafe impl<'c, X: StageTiles, Y: StageTiles, A, B, const CTAS: u32> StageSource<(X, Y), Group<'c, CTAS>>
    for (A, B)
where
    A: StageSource<X, Group<'c, CTAS>>,
    B: StageSource<Y, Group<'c, CTAS>>,
{
    const FITS: () = (A::FITS, B::FITS).0;
    #[inline(always)]
    unsafe fn load(self, addr: u32, group: Group<'c, CTAS>, full: u32, hint: impl raw::L2CacheHint) {
        // SAFETY: the caller's.
        unsafe {
            self.0.load(addr, group, full, hint);
            self.1.load(addr + const { size::shared(X::SIZE) }, group, full, hint);
        }
    }
}

// SAFETY: each source brings the bytes of its tile, together with those of the other CTAs of its own group.
unsafe impl<X: StageTiles, Y: StageTiles, A, B, G: Sharing, H: Sharing> StageSource<(X, Y), (G, H)> for (A, B)
where
    A: StageSource<X, G>,
    B: StageSource<Y, H>,
{
    const FITS: () = (A::FITS, B::FITS).0;
    #[inline(always)]
    unsafe fn load(self, addr: u32, (group, other): (G, H), full: u32, hint: impl raw::L2CacheHint) {
        // SAFETY: the caller's.
        unsafe {
            self.0.load(addr, group, full, hint);
            self.1.load(addr + const { size::shared(X::SIZE) }, other, full, hint);
        }
    }
}
