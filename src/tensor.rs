//! Tensor copies (TMA): `cp.async.bulk.tensor` and its relatives copy boxes of a tensor in global memory, which a *tensor map*
//! (`CUtensorMap`) describes (9.7.9.25.5).
//!
//! A map's type carries the type of its elements and a [`Shape`]: the rank of the tensor, the mode of the copy, the box that one
//! copy moves, and its swizzle. The types therefore fit the shared memory, the coordinates and the byte count of the mbarrier to
//! the box, and a view of a tile takes the swizzle from the shape ([`Box2::SWIZZLE`]). A parameter of a
//! [`#[ptx::kernel]`](crate::kernel) is one of three handles; the launch encodes the map from a `ptx_host::Tensor`. A kernel
//! without the attribute makes the handle once, from a `*const` [`TensorMapObject`]:
//!
//! | handle | use of the tensor | copies |
//! | --- | --- | --- |
//! | [`TensorMap`] | no thread writes it | [`load`] and [`prefetch`], from any place |
//! | [`TensorMapMut`] | only this grid uses it; each box belongs to one CTA | [`load`] and [`store`], of the CTA's own boxes |
//! | [`TensorMapReduce`] | only reductions access it | [`reduce`], to any place |
//!
//! A load completes on an [`Mbarrier`](crate::mbarrier::Mbarrier). One mbarrier can wait for several boxes, and for tiles of
//! global memory beside them: [`load`] is the function of [`bulk`](crate::bulk). Stores and reductions complete in a
//! [`BulkGroup`].
//!
//! # Where a copy may begin
//!
//! The innermost coordinate times the size of an element must be a multiple of 16 bytes. Otherwise an H200 ends the grid with an
//! illegal instruction, for every operation, mode and swizzle; the ISA does not state this rule. A load accepts any other
//! coordinates of a box; a store or a reduction accepts none that is negative. Two functions name a place:
//!
//! - [`box_at`](TensorMap::box_at) takes the index of a box in each dimension, as a loop over boxes has it. Every index is legal,
//!   because a row of a box is a multiple of 16 bytes long.
//! - [`at`](TensorMap::at) takes coordinates and returns `None` where no copy may begin. If the kernel computes the innermost
//!   coordinate as a suitable multiple, LLVM removes the check. For columns of pixels, `at` also checks the [`BoundingBox`] of
//!   the map.
//!
//! # Maps that a CTA makes
//!
//! A CTA can describe a tensor of its own. It copies an existing map to shared memory, changes fields and publishes the map:
//!
//! ```text
//! Shared<Free> ─ draft ─► TensorMapDraft ─ retype, global_address, … ─► TensorMapDraft
//!              ─ publish ─► ReleasedTensorMap ─ acquire ─► TensorMap
//! ```

use core::marker::PhantomData;

use crate::async_group::Token;
use crate::bulk::{BulkGroup, CopySource, LoadSource, Source, Split, Uncommitted};
use crate::cache_policy::MaybeHinted;
use crate::group::{Cta, ThreadGroup};
use crate::mark::{Group, deal};
use crate::qualifier::{Sealed, op};
use crate::raw;
use crate::registers::unroll;
use crate::shared::{Element, Shared};
use crate::size;

#[cfg(any(wgmma, tcgen05))]
mod blocks;
mod draft;
#[cfg(any(wgmma, tcgen05))]
mod matrix;
#[cfg(any(wgmma, tcgen05))]
mod operand;
mod shape;
mod store_ring;

#[cfg(wgmma)]
pub use blocks::ZippedBlocksMut;
#[cfg(any(wgmma, tcgen05))]
pub use blocks::{BlockPositions, TensorBlockMut, TensorBlocksMut, TensorRowMut};
pub use draft::{
    Acquired, ElementTypeOf, FillOf, MapElement, ReleasedTensorMap, Replace, ReplaceAtomicity,
    TensorMapDraft, TensorMapSlot, draft,
};
#[cfg(any(wgmma, tcgen05))]
pub use matrix::MatrixBox;
#[cfg(any(wgmma, tcgen05))]
pub(crate) use operand::panel;
#[cfg(any(wgmma, tcgen05))]
pub use operand::{Operand, Tile};
pub use shape::*;
pub use store_ring::StoreRing;

// One mbarrier can wait for tiles of global memory and of tensors together, so both have one `load`.
pub use crate::bulk::{load, load_with};

/// The 128 opaque bytes of a tensor map (`CUtensorMap`), as `cuTensorMapEncodeTiled` writes them. A kernel takes a pointer to a
/// map.
#[repr(C, align(64))]
#[derive(Debug)]
#[doc(alias("CUtensorMap", "cute::TmaDescriptor"))]
pub struct TensorMapObject([u64; 16]);

static_assertions::const_assert_eq!(size_of::<TensorMapObject>(), 128);

/// The bytes of one copy of shape `S`. Fails to compile if the shape does not suit elements of `T`.
pub(crate) const fn shape_bytes<T, S: Shape>() -> u32 {
    let () = S::LIMITS;
    assert!(
        size::product([S::ROW, size_of::<T>()]).is_multiple_of(16),
        "the innermost dimension of a box or a column (its first parameter) must have a multiple of 16 bytes: for `f32`, choose a multiple of 4 (`cuTensorMapEncodeTiled`, PTX ISA 5.5.3.1)"
    );
    assert!(
        S::SWIZZLES.is_empty() || contains(S::SWIZZLES, size::product([S::ROW, size_of::<T>()])),
        "the channels of `.im2col::w` and `.im2col::w::128` must fill a swizzle of 32, 64 or 128 bytes (`.im2col::w` on `sm_103a` also 96), which these modes need: choose `CHANNELS` to match (PTX ISA 5.5.5)"
    );
    assert!(
        S::SPAN == 0 || S::SPAN == size::product([S::ROW, size_of::<T>()]),
        "a swizzle must be as wide as a row of the box: use `swizzle_mode::B32` for rows of 32 bytes, `B64` for 64, `B128` for 128 (a narrower row would be padded, a wider row refused)"
    );
    assert!(
        size::product([S::LEN, size_of::<T>()]) < 1 << 20,
        "a copy must have at most 2^20 - 1 bytes, as many as an mbarrier counts: choose a smaller box (PTX ISA 9.7.13.15.2)"
    );
    size::shared(size::product([S::LEN, size_of::<T>()]))
}

/// Fails to compile if the target has no copies of shape `S`. The host, which has no target, describes maps of every shape.
const fn assert_target<S: Shape>() {
    assert!(
        S::UNIT == 16 || cfg!(load_swizzle_atomicity),
        "a swizzle of other units than 16 bytes needs a target with `.swizzle_atomicity`: select the feature `sm_100f` or `sm_110f`, or use `swizzle_mode::B128` alone (PTX ISA 9.7.9.25.5.1)"
    );
}

/// [`shape_bytes`] of a shape that is stored or reduced.
pub(crate) const fn stored_shape_bytes<T, S: StoreShape>() -> u32 {
    assert!(
        S::UNIT >= 16,
        "only loads have the flip of 8 bytes: use `swizzle_atomicity::B32` for a tensor that is written (PTX ISA 5.5.7)"
    );
    shape_bytes::<T, S>()
}

const fn contains(widths: &[usize], bytes: usize) -> bool {
    match widths {
        [] => false,
        [first, rest @ ..] => *first == bytes || contains(rest, bytes),
    }
}

/// [`shape_bytes`], as the size of a shared array of `N` elements. Fails to compile if the lengths differ.
pub(crate) const fn box_bytes<T, S: Shape, const N: usize>() -> u32 {
    assert!(
        N == S::LEN,
        "the shared array and the box of the tensor map differ in length: for a `Box2<W, H>`, use a `SharedArray<T, N>` with N = W * H elements"
    );
    shape_bytes::<T, S>()
}

/// The elements in 16 bytes: the innermost coordinate must be a multiple of this number.
const fn unit<T>() -> i32 {
    assert!(
        size_of::<T>() <= 16 && size_of::<T>().is_power_of_two(),
        "an element of a tensor must have 1, 2, 4, 8 or 16 bytes: choose another element type"
    );
    16 / size_of::<T>() as i32
}

/// A tensor map (`CUtensorMap`) of a tensor that is not written while the kernel runs: the source of TMA loads and prefetches.
///
/// ```
/// # use ptx::{bulk::LoadBuffer, group::Cta, tensor::{self, Box2, TensorMap}};
/// # fn kernel(cta: Cta, map: TensorMap<f32, Box2<64, 32>>, memory: LoadBuffer<f32, 2048>) {
/// cta.finish(memory, |cta, tile| {
///     tensor::prefetch(cta, map.box_at([1, 0])); // fetches the next box into L2 meanwhile
///     let tile = tile.load(cta, map.box_at([0, 0])).wait(cta);
///     let _first = tile.get(0);
///     tile.end()
/// });
/// # }
/// ```
#[derive(Debug)]
pub struct TensorMap<T, S: LoadShape> {
    pub(crate) object: *const u8,
    bounds: S::Bounds,
    _of: PhantomData<(*const T, S)>,
}

impl<T, S: LoadShape> Clone for TensorMap<T, S> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, S: LoadShape> Copy for TensorMap<T, S> {}

impl<T: Element, S: LoadShape> TensorMap<T, S> {
    /// Makes a handle of the tensor map (`CUtensorMap`) at `object`. For columns of pixels, use
    /// [`from_raw_within`](TensorMap::from_raw_within).
    ///
    /// ```
    /// # use ptx::tensor::{Box2, TensorMap, TensorMapObject};
    /// # unsafe fn kernel(object: *const TensorMapObject) {
    /// // SAFETY: the host encodes a map of `f32` with two dimensions, boxes of 64 by 32 and no swizzle; no thread writes the
    /// // tensor.
    /// let map = unsafe { TensorMap::<f32, Box2<64, 32>>::from_raw(object) };
    /// # }
    /// ```
    ///
    /// # Safety
    ///
    /// - `object` is the generic address, aligned to 64 bytes, of a tensor map in global memory, in constant memory or among the
    ///   kernel's parameters. The map existed before the launch, or it was released to the tensormap proxy and acquired for it
    ///   (`fence.proxy.tensormap`). No thread writes the map until the grid ends.
    /// - The map has the rank, the mode, the box and the swizzle of `S`. Its elements have the size of `T` and are of no sub-byte
    ///   type (`.b4x16`, `.b4x16_p64`, `.b6x16_p32`, `.b6p2x16`).
    /// - The element strides of the map are 1. For columns of pixels the strides along W, H and D may differ from 1, as they do
    ///   not change the number of pixels (PTX ISA 5.5.4.2).
    /// - The map has no interleave. If the shape is a column or a [`Scatter4`], whose type states no swizzle, the map has none,
    ///   or a swizzle that is as wide as a row and permutes units of 16 bytes or more in shared memory. A map for [`Im2colW3`] or
    ///   one of its siblings has a swizzle (PTX ISA 5.5.5).
    /// - The tensor lies in valid global memory, which no thread writes until the grid ends.
    #[inline(always)]
    pub const unsafe fn from_raw(object: *const TensorMapObject) -> Self
    where
        S: UnboundedShape,
    {
        // SAFETY: the caller keeps the same clauses (`# Safety`); a map for an `UnboundedShape` has no bounding box.
        unsafe { Self::from_raw_within(object, ()) }
    }

    /// Makes a handle of the tensor map (`CUtensorMap`) at `object`, for im2col loads: each column
    /// starts at a pixel within `bounds`, which lies in the map's bounding box (`pixelBoxLowerCorner` …). [`BoundingBox`] has an
    /// example.
    ///
    /// # Safety
    ///
    /// - The clauses of [`from_raw`](TensorMap::from_raw) hold.
    /// - `bounds` lies within the bounding box of the map (PTX ISA 5.5.4.1). A map for [`Im2colW3`] or one of its siblings has a
    ///   bounding box along W alone; along H and D, `bounds` lies within the tensor.
    #[inline(always)]
    pub const unsafe fn from_raw_within(object: *const TensorMapObject, bounds: S::Bounds) -> Self {
        const { shape_bytes::<T, S>() };
        const { assert_target::<S>() };
        TensorMap { object: object.cast(), bounds, _of: PhantomData }
    }

    /// Returns a handle of the part of the tensor at `at` that one TMA [`load`] or [`prefetch`] copies. For a box, `at` holds the
    /// coordinates of its first element, innermost dimension first; the other shapes say what `at` holds for them. Coordinates
    /// may be negative or beyond the tensor: elements outside the tensor read as the fill of the map, zeros or NaN.
    ///
    /// Returns `None` where no copy may begin: the innermost coordinate is not a multiple of 16 bytes, or a column would start
    /// outside the [`BoundingBox`].
    ///
    /// ```
    /// # use ptx::tensor::{Box2, TensorMap};
    /// # fn kernel(map: TensorMap<f32, Box2<64, 32>>, rows: i32) {
    /// let last_rows = map.at([64, rows - 32]);
    /// let halo = map.at([-4, -1]); // the first row and the first four columns of the box read as the fill
    /// let none = map.at([-1, 0]); // `None`: begins 4 bytes before a multiple of 16
    /// # }
    /// ```
    #[inline(always)]
    pub fn at(self, at: S::At) -> Option<TensorTile<T, S>> {
        if S::reads(&at, const { unit::<T>() }, self.bounds) {
            Some(TensorTile { map: self, at })
        } else {
            None
        }
    }

    /// Returns a handle of box `index`, the part of the tensor whose coordinates start at `index` times the box's extents.
    /// `index` has one number per dimension, the innermost first: for a `Box2<64, 32>`, `[1, 2]` is columns 64 to 127 of rows 64
    /// to 95. An index may be negative or beyond the tensor, where elements read as the fill. Coordinates wrap around at 2^32.
    #[inline(always)]
    #[doc(alias = "cute::local_tile")]
    pub fn box_at(self, index: S::At) -> TensorTile<T, S>
    where
        S: BoxShape,
    {
        TensorTile { map: self, at: S::at(S::coords(index)) }
    }
}

/// A part of a tensor that is not written ([`TensorMap`]), as large as one copy: the source of a TMA load or prefetch.
#[derive(Debug)]
pub struct TensorTile<T, S: LoadShape> {
    pub(crate) map: TensorMap<T, S>,
    pub(crate) at: S::At,
}

impl<T, S: LoadShape> Clone for TensorTile<T, S> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, S: LoadShape> Copy for TensorTile<T, S> {}

/// A tensor map (`CUtensorMap`) of a tensor that only this grid uses: the destination of TMA stores, and a source of loads. If
/// the shape is a box, [`tiles`](TensorMapMut::tiles) divides the tensor into boxes from coordinate 0 on and deals them out to
/// the CTAs.
///
/// ```
/// # use ptx::{group::Cta, shared::SharedArray, tensor::{self, Box2, TensorMapMut}};
/// # fn kernel(cta: &mut Cta, map: TensorMapMut<f32, Box2<64, 32>>, tile: SharedArray<f32, 2048>) {
/// cta.async_scope(tile, |cta, tile| {
///     let mut tile = tile.write(cta, |_| 1.0).to_async().sync(cta);
///     let mut mine = map.tiles(cta);
///     while let Some((_, dst)) = mine.next_tile() {
///         (tile, _) = tensor::store(cta, tile, dst).commit(cta).wait(cta).sync(cta); // the whole tensor becomes 1.0
///     }
///     tile.into_free()
/// });
/// # }
/// ```
#[derive(Debug)]
pub struct TensorMapMut<T, S: StoreShape> {
    object: *const u8,
    boxes: S::Boxes,
    _of: PhantomData<*mut T>,
}

impl<T: Element, S: StoreShape> TensorMapMut<T, S> {
    /// Makes a handle of the tensor map (`CUtensorMap`) at `object`. `boxes` is the number of boxes that the grid writes in each
    /// dimension, innermost first, or `()` for a shape that is not a box. The boxes may cover more than the tensor: a store
    /// writes no elements outside the tensor, except the rest of a row's last 16 bytes.
    ///
    /// ```
    /// # use ptx::tensor::{Box2, TensorMapMut, TensorMapObject};
    /// # unsafe fn kernel(object: *const TensorMapObject, width: u32, height: u32) {
    /// let boxes = [width.div_ceil(64), height.div_ceil(32)];
    /// // SAFETY: the host encodes a map of `f32`, `width` by `height`, with boxes of 64 by 32; only this grid uses the tensor.
    /// let map = unsafe { TensorMapMut::<f32, Box2<64, 32>>::from_raw(object, boxes) };
    /// # }
    /// ```
    ///
    /// # Safety
    ///
    /// - The clauses of [`TensorMap::from_raw`] hold, except that the grid writes the tensor. No two elements of the tensor share
    ///   memory.
    /// - The bytes after a row, up to the next multiple of 16, belong to the tensor or to the grid. A store writes rows in units
    ///   of 16 bytes (measured on an H200), so these bytes get the contents of the box there. Strides are multiples of 16 bytes,
    ///   so between rows these bytes are padding of the tensor. A tensor of one dimension has no stride: the bytes after its end
    ///   must be the grid's too.
    /// - Until the grid ends, only this grid uses the tensor, and only through this handle. Each thread of the grid makes the
    ///   handle once, with equal arguments, an equal `T` and an equal `S`.
    /// - There are at most 2^31 boxes, and no coordinate of a box is 2^31 or more.
    /// - The bounding box of an `.im2col` map stays within the tensor: its lower corner is not negative, and its upper corner is
    ///   not positive (9.7.9.25.5.1).
    #[inline(always)]
    pub const unsafe fn from_raw(object: *const TensorMapObject, boxes: S::Boxes) -> Self {
        const { stored_shape_bytes::<T, S>() };
        const { assert_target::<S>() };
        TensorMapMut { object: object.cast(), boxes, _of: PhantomData }
    }

    /// Returns a handle of the part of the tensor at `coords`, the destination of a TMA store. The caller, and not
    /// [`tiles`](TensorMapMut::tiles), divides the tensor among the CTAs. Returns `None` where no copy may begin: the innermost
    /// coordinate is not a multiple of 16 bytes, or a coordinate is negative.
    ///
    /// ```
    /// # use ptx::{group::Cta, tensor::{Box2, TensorMapMut}};
    /// # fn kernel(cta: &Cta, map: &TensorMapMut<f32, Box2<64, 32>>) {
    /// // SAFETY: each CTA has its own rows, and makes one tile of them.
    /// let tile = unsafe { map.at([0, 32 * cta.grid_rank() as i32]) };
    /// # let _ = tile;
    /// # }
    /// ```
    ///
    /// # Safety
    ///
    /// - Until the grid ends, no other tile, of any CTA, contains elements of this part. A tile no longer counts once its copies
    ///   have given it back and no thread uses it any more.
    /// - The four rows of a [`Scatter4`] differ.
    /// - A column starts within the bounding box of the map (PTX ISA 5.5.4.1), along W, H and D.
    #[inline(always)]
    pub unsafe fn at(&self, coords: S::TensorCoords) -> Option<TensorTileMut<T, S>> {
        if S::writes(&coords, const { unit::<T>() }) {
            Some(TensorTileMut { object: self.object, coords, _of: PhantomData })
        } else {
            None
        }
    }
}

impl<T: Element, S: BoxShape> TensorMapMut<T, S> {
    /// Divides the tensor into boxes from coordinate 0 on and returns the boxes of this CTA, as a grid-stride loop would take
    /// them: the boxes with the numbers `rank`, `rank + count`, …, where `rank` is the CTA's rank in the grid and `count` the
    /// number of CTAs. Boxes are numbered with the innermost dimension fastest.
    ///
    /// Collective in the CTA.
    #[inline(always)]
    #[track_caller]
    pub fn tiles(self, cta: &Cta) -> TensorTilesMut<T, S> {
        meet!(cta);
        crate::mark::deal::<crate::mark::Grid, _>(self.object);
        TensorTilesMut {
            object: self.object,
            boxes: self.boxes,
            next: cta.grid_rank(),
            count: S::count(self.boxes),
            // No CTA has two boxes if the grid has 2^31 CTAs, as many as there can be boxes.
            step: cta.grid_size().min(1 << 31),
            _of: PhantomData,
        }
    }
}

/// The boxes of a [`TensorMapMut`] that this CTA owns and has not yet taken.
#[derive(Debug)]
pub struct TensorTilesMut<T, S: BoxShape> {
    object: *const u8,
    boxes: S::Boxes,
    /// The number of this CTA's next box, the number of all boxes, and the distance to the CTA's box after the next. `step` plus
    /// a number below `count` is below 2^32.
    next: u32,
    count: u32,
    step: u32,
    _of: PhantomData<*mut T>,
}

impl<T: Element, S: BoxShape> TensorTilesMut<T, S> {
    /// Returns the largest number of boxes that any CTA of the grid owns, whether taken or not. This CTA owns that many boxes, or
    /// one fewer. All CTAs get the same result, so a loop of that many rounds can contain calls that are collective in the
    /// cluster.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{cluster::Cluster, tensor::{Box2, TensorTilesMut}};
    /// # fn kernel(cluster: &Cluster<'_>, mut boxes: TensorTilesMut<f32, Box2<64, 32>>) {
    /// for _ in 0..boxes.rounds() {
    ///     let mine = boxes.next_tile(); // `None` in the last round of some CTAs
    ///     cluster.sync();
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn rounds(&self) -> usize {
        self.count.div_ceil(self.step) as usize
    }

    /// Takes the CTA's next box and returns the box with its position, counted in boxes of each dimension, or `None` when no box
    /// is left. Boxes are numbered with the innermost index fastest, and a CTA takes every n-th of a grid of n CTAs. The box `[i, j]`
    /// of a `Box2<W, H>` begins at the coordinates `[W * i, H * j]`; [`box_at`](TensorMap::box_at) takes the position as it is.
    /// All threads that hold the handle take the same box, without a barrier.
    #[inline(always)]
    pub fn next_tile(&mut self) -> Option<(S::At, TensorTileMut<T, S>)> {
        if self.next >= self.count {
            return None;
        }
        // SAFETY: `next` is less than `count`; clause 4 of `TensorMapMut::from_raw` bounds the number of boxes and their
        // coordinates.
        let (index, coords) = unsafe {
            let index = S::index(self.boxes, self.next);
            (index, S::coords(index))
        };
        self.next += self.step;
        Some((index, TensorTileMut { object: self.object, coords, _of: PhantomData }))
    }
}

/// Marks memory of `T` that the group `Of` alone uses.
type UsedBy<T, Of> = PhantomData<(*mut T, fn(&Of))>;

/// A part of a tensor that only this CTA uses, as large as one copy: the destination of a TMA store, or the source of a load.
///
/// ```
/// # use ptx::{group::Cta, mbarrier::{Mbarrier, Uninit}, shared::SharedArray, tensor::{self, Box2, TensorTileMut}};
/// # fn kernel(cta: Cta, part: TensorTileMut<f32, Box2<64, 32>>, tile: SharedArray<f32, 2048>, bar: Mbarrier<Uninit>) {
/// cta.finish((tile, bar), |cta, (tile, bar)| {
///     let (_bar, tile, part) = tensor::load(cta, bar, tile, part).wait(cta);
///     let tile = tile.update(cta, |_, x| 2.0 * x).to_async().sync(cta);
///     (tensor::store(cta, tile, part).commit(cta).wait_read(cta).end(), ())
/// });
/// # }
/// ```
///
/// `Of` is the group that alone uses it: the CTA, or a [`Warpgroup`](crate::group::Warpgroup).
#[derive(Debug)]
pub struct TensorTileMut<T, S: StoreShape, Of = Cta> {
    object: *const u8,
    coords: S::TensorCoords,
    _of: UsedBy<T, Of>,
}

/// A tensor map (`CUtensorMap`) of a tensor that only TMA reductions access; any number of CTAs may reduce into the same
/// elements.
#[derive(Debug)]
pub struct TensorMapReduce<T, S: ReduceShape> {
    object: *const u8,
    bounds: S::Bounds,
    _of: PhantomData<(*mut T, S)>,
}

impl<T, S: ReduceShape> Clone for TensorMapReduce<T, S> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, S: ReduceShape> Copy for TensorMapReduce<T, S> {}

impl<T: Element, S: ReduceShape> TensorMapReduce<T, S> {
    /// Makes a handle of the tensor map (`CUtensorMap`) at `object`. For columns of pixels, use
    /// [`from_raw_within`](TensorMapReduce::from_raw_within).
    ///
    /// # Safety
    ///
    /// - The clauses of [`TensorMap::from_raw`] hold, except that reductions write the tensor. The element type of the map is
    ///   that of `T`: `.u32`, `.s32`, `.u64`, `.s64`, `.f32`; `.f16` for `half::f16` and `.bf16` for
    ///   `half::bf16`.
    /// - Until the grid ends, only reductions access the tensor, and only through handles of this type that threads of this grid
    ///   make. (An ordinary access would be a race; an atomic access would come from another proxy.)
    /// - The bytes after a row, up to the next multiple of 16, are padding of the tensor or belong to the grid, as
    ///   [`TensorMapMut::from_raw`] says: a reduction may change them, as a store does.
    #[inline(always)]
    pub const unsafe fn from_raw(object: *const TensorMapObject) -> Self
    where
        S: UnboundedShape,
    {
        // SAFETY: the caller keeps the same clauses (`# Safety`); a map for an `UnboundedShape` has no bounding box.
        unsafe { Self::from_raw_within(object, ()) }
    }

    /// Makes a handle of the tensor map (`CUtensorMap`) at `object`, for im2col reductions: each
    /// column starts at a pixel within `bounds`, which lies in the map's bounding box (`pixelBoxLowerCorner` …).
    ///
    /// # Safety
    ///
    /// - The clauses of [`from_raw`](TensorMapReduce::from_raw) hold.
    /// - The bounding box of the map stays within the tensor: its lower corner is not negative, and its upper corner is not
    ///   positive (9.7.9.25.5.1). `bounds` lies within the bounding box.
    #[inline(always)]
    pub const unsafe fn from_raw_within(object: *const TensorMapObject, bounds: S::Bounds) -> Self {
        const { stored_shape_bytes::<T, S>() };
        const { assert_target::<S>() };
        TensorMapReduce { object: object.cast(), bounds, _of: PhantomData }
    }

    /// Returns a handle of the part of the tensor at `coords`, the destination of one TMA [`reduce`]. A reduction drops elements
    /// outside the tensor, except perhaps the bytes after a row up to the next multiple of 16 (see
    /// [`from_raw`](TensorMapReduce::from_raw)).
    ///
    /// Returns `None` where no copy may begin: the innermost coordinate is not a multiple of 16 bytes, a coordinate is negative
    /// (9.7.9.25.5.1), or a column would start outside the [`BoundingBox`].
    #[inline(always)]
    pub fn at(self, coords: S::TensorCoords) -> Option<TensorReduceTile<T, S>> {
        if S::writes(&coords, const { unit::<T>() }) & S::is_within(&coords, self.bounds) {
            Some(TensorReduceTile { object: self.object, coords, _of: PhantomData })
        } else {
            None
        }
    }
}

/// A part of a tensor that only reductions access ([`TensorMapReduce`]), as large as one copy: the destination of a [`reduce`].
#[derive(Debug)]
pub struct TensorReduceTile<T, S: ReduceShape> {
    object: *const u8,
    coords: S::TensorCoords,
    _of: PhantomData<*mut T>,
}

impl<T, S: ReduceShape> Clone for TensorReduceTile<T, S> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, S: ReduceShape> Copy for TensorReduceTile<T, S> {}
impl<T, S: ReduceShape> Sealed for TensorReduceTile<T, S> {}

/// Handles of a tensor map: [`TensorMap`], [`TensorMapMut`], [`TensorMapReduce`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a handle of a tensor map",
    label = "not a `TensorMap`, `TensorMapMut` or `TensorMapReduce`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait AnyTensorMap: Sealed {
    /// The generic address of the map.
    #[doc(hidden)]
    fn object(&self) -> *const u8;
}
impl<T, S: LoadShape> Sealed for TensorMap<T, S> {}
impl<T, S: LoadShape> AnyTensorMap for TensorMap<T, S> {
    #[inline(always)]
    fn object(&self) -> *const u8 {
        self.object
    }
}
impl<T, S: StoreShape> Sealed for TensorMapMut<T, S> {}
impl<T, S: StoreShape> AnyTensorMap for TensorMapMut<T, S> {
    #[inline(always)]
    fn object(&self) -> *const u8 {
        self.object
    }
}
impl<T, S: ReduceShape> Sealed for TensorMapReduce<T, S> {}
impl<T, S: ReduceShape> AnyTensorMap for TensorMapReduce<T, S> {
    #[inline(always)]
    fn object(&self) -> *const u8 {
        self.object
    }
}

/// Prefetches a tensor map itself into the cache, for later copies (`prefetch.tensormap`).
///
/// Collective in the group.
///
/// PTX, by the leader: `prefetch.tensormap [object];`
#[inline(always)]
#[track_caller]
#[doc(alias = "cute::prefetch_tma_descriptor")]
pub fn prefetch_tensormap(group: &impl ThreadGroup, map: &impl AnyTensorMap) {
    meet!(group);
    if group.is_leader() {
        // SAFETY: clause 1 of each `from_raw`: `object` is the generic address of a tensor map.
        unsafe { raw::prefetch_tensormap(crate::qualifier::space::All, map.object()) }
    }
}

impl<T, S: LoadShape> Sealed for TensorTile<T, S> {}
// SAFETY: a copy of the shape brings `box_bytes`, which `FITS` asserts to be the size of `N` elements.
unsafe impl<T: Element, const N: usize, State, S: LoadShape, G: ThreadGroup>
    LoadSource<Shared<'_, T, N, State, G>> for TensorTile<T, S>
{
    const FITS: () = {
        box_bytes::<T, S, N>();
    };
    #[inline(always)]
    unsafe fn start(&self, dst: &Shared<'_, T, N, State, G>, mbar: u32, hint: impl raw::L2CacheHint) {
        // SAFETY: the copy owns `dst`, and `mbar` is valid (`# Safety`). `TensorMap::from_raw` vouches for the map. A
        // `TensorTile` begins where a copy may; shared arrays are aligned to 128 bytes.
        unsafe { S::load(dst.addr(), self.map.object, self.at, mbar, hint) }
    }
}

impl<T, S: StoreShape> Sealed for TensorTileMut<T, S> {}
impl<T, S: StoreShape, Of> TensorTileMut<T, S, Of> {
    /// States that the threads of the group copy this part ([`mark::deal`](crate::mark::deal)).
    #[inline(always)]
    fn hold<G: Group>(&self) {
        deal::<G, _>(self.object);
        unroll::<5>(|i| {
            if let Some(&coordinate) = self.coords.as_ref().get(i) {
                deal::<G, ()>(core::ptr::without_provenance(coordinate as usize));
            }
        });
    }
}
// SAFETY: a copy of the shape brings `box_bytes`, which `FITS` asserts to be the size of `N` elements.
// A part of the CTA does not load from it, as from a `GlobalTileMut`.
unsafe impl<T: Element, const N: usize, State, S: BoxShape> LoadSource<Shared<'_, T, N, State>>
    for TensorTileMut<T, S>
{
    const FITS: () = {
        box_bytes::<T, S, N>();
    };
    #[inline(always)]
    fn hold<G: Group>(&self) {
        TensorTileMut::hold::<G>(self);
    }
    #[inline(always)]
    unsafe fn start(&self, dst: &Shared<'_, T, N, State>, mbar: u32, hint: impl raw::L2CacheHint) {
        // SAFETY: the copy owns `dst` and the source, and `mbar` is valid (`# Safety`). `TensorMapMut::from_raw` vouches for the
        // map. A `TensorTileMut` begins where a copy may; shared arrays are aligned to 128 bytes.
        unsafe { S::load(dst.addr(), self.object, S::at(self.coords), mbar, hint) }
    }
}

/// Starts the prefetch of a part of a tensor into the L2 cache (TMA, `cp.async.bulk.prefetch.tensor`). The prefetch needs no
/// wait.
///
/// Collective in the group.
///
/// PTX, of a `Box2`, by the leader: `cp.async.bulk.prefetch.tensor.2d.L2.global.tile [map, {x, y}];`
#[inline(always)]
#[track_caller]
#[doc(alias = "SM90_TMA_LOAD::PREFETCH")]
pub fn prefetch<T: Element, S: PrefetchShape>(
    group: &impl ThreadGroup,
    src: impl MaybeHinted<TensorTile<T, S>>,
) {
    meet!(group);
    let (src, hint) = src.split();
    if group.is_leader() {
        // SAFETY: `TensorMap::from_raw` vouches for the map; a `TensorTile` begins where a copy may.
        unsafe { S::prefetch(src.map.object, src.at, hint) }
    }
}

/// The handles of a [`store`] in flight, as its [`BulkGroup`] owns them: the [`Shared`] source and the destination.
pub type TensorStore<'s, T, const N: usize, State, S, G = Cta> =
    (Shared<'s, T, N, State, G>, TensorTileMut<T, S>);

/// The handles of a [`reduce`] in flight, as its [`BulkGroup`] owns them: the [`Shared`] source and the destination.
pub type TensorReduce<'s, T, const N: usize, State, S, G = Cta> =
    (Shared<'s, T, N, State, G>, TensorReduceTile<T, S>);

/// Starts a TMA store of `src` from shared memory to the part `dst` of a tensor (`cp.async.bulk.tensor`), in a new [`BulkGroup`]
/// to commit and wait for. The store writes no elements outside the tensor, except the rest of a row's last 16 bytes (see
/// [`TensorMapMut::from_raw`]). [`bulk::store`](crate::bulk::store()) says what `src` can be; [`TensorMapMut`] has an example.
///
/// Collective in the group.
///
/// PTX, of a `Box2`, by the leader: `cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [map, {x, y}], [src];`
#[inline(always)]
#[track_caller]
#[doc(alias("SM90_TMA_STORE", "cp_async_bulk_tensor", "cuda::ptx::cp_async_bulk_tensor"))]
pub fn store<
    T: Element,
    const N: usize,
    Src: CopySource<T, N, Group = G>,
    S: StoreShape,
    G: ThreadGroup<Owner = Cta>,
>(
    group: &G,
    src: Src,
    dst: impl MaybeHinted<TensorTileMut<T, S>>,
) -> BulkGroup<(Src, TensorTileMut<T, S>), Uncommitted, G> {
    const { box_bytes::<T, S, N>() };
    let (dst, hint) = dst.split();
    start_store(group, &src, &dst, hint);
    BulkGroup::new((src, dst))
}

#[inline(always)]
#[track_caller]
fn start_store<T: Element, const N: usize, S: StoreShape, G: ThreadGroup>(
    group: &G,
    src: &impl CopySource<T, N, Group = G>,
    dst: &TensorTileMut<T, S>,
    hint: impl raw::L2CacheHint,
) {
    meet!(group; src.place());
    dst.hold::<G>();
    if group.is_leader() {
        // SAFETY: the shape proves the size; `dst`, which this CTA alone uses, begins where a copy may; the `CopySource` is
        // aligned to 128 bytes and visible to the async proxy. The caller puts both handles into the group.
        unsafe { S::store(dst.object, dst.coords, src.tile(), hint) }
    }
}

/// Operations that [`reduce`] applies to elements of `T`: `op::Add`, `op::Min` and the like.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tensor reduction of elements of `{T}`",
    label = "not an operation on `{T}`",
    note = "`Add` takes `u32`, `i32`, `u64`, `f32`; `Min`, `Max`, `And`, `Or`, `Xor` take `u32`, `i32`, `u64`, `i64`; `Inc`, `Dec` take `u32`; `Add`, `Min`, `Max` also take `f16` and `bf16` (PTX ISA 9.7.9.25.5.3)"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait ReduceOp<T: Element>: raw::TensorRedOp {}

macro_rules! reduce_ops {
    ($( $Op:ident: $($T:ty),+; )*) => { $( $( impl ReduceOp<$T> for op::$Op {} )+ )* };
}
reduce_ops! {
    Add: u32, i32, u64, f32;
    Min: u32, i32, u64, i64;
    Max: u32, i32, u64, i64;
    And: u32, i32, u64, i64;
    Or: u32, i32, u64, i64;
    Xor: u32, i32, u64, i64;
    Inc: u32;
    Dec: u32;
}
reduce_ops! {
    Add: half::f16, half::bf16;
    Min: half::f16, half::bf16;
    Max: half::f16, half::bf16;
}

/// Starts a TMA reduction of `src` from shared memory into the part `dst` of a tensor (`cp.reduce.async.bulk.tensor`), in a new
/// [`BulkGroup`] to commit and wait for. Each element of the destination becomes `op` of its old value and the element of `src`,
/// atomically (relaxed, at GPU scope). [`bulk::store`](crate::bulk::store()) says what `src` can be.
///
/// Collective in the group.
///
/// PTX, of a `Box2` and `op::Add`, by the leader: `cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group
/// [map, {x, y}], [src];`
///
/// ```
/// # use ptx::{group::Cta, qualifier::op, shared::SharedArray, tensor::{self, Box1, TensorMapReduce}};
/// # fn kernel(cta: Cta, tile: SharedArray<f32, 256>, sums: TensorMapReduce<f32, Box1<256>>) {
/// cta.finish(tile, |cta, tile| {
///     let tile = tile.write(cta, |i| i as f32).to_async().sync(cta);
///     let Some(sums) = sums.at([0]) else { return tile.end() };
///     tensor::reduce(cta, op::Add, tile, sums).commit(cta).wait_read(cta).end()
/// });
/// # }
/// ```
#[inline(always)]
#[track_caller]
#[doc(alias("SM90_TMA_REDUCE_ADD", "cp_reduce_async_bulk_tensor", "cuda::ptx::cp_reduce_async_bulk_tensor"))]
pub fn reduce<
    T: Element,
    const N: usize,
    Src: CopySource<T, N, Group = G>,
    S: ReduceShape,
    G: ThreadGroup,
>(
    group: &G,
    op: impl ReduceOp<T>,
    src: Src,
    dst: impl MaybeHinted<TensorReduceTile<T, S>>,
) -> BulkGroup<(Src, TensorReduceTile<T, S>), Uncommitted, G> {
    const { box_bytes::<T, S, N>() };
    let (dst, hint) = dst.split();
    start_reduce(group, op, &src, &dst, hint);
    BulkGroup::new((src, dst))
}

#[inline(always)]
#[track_caller]
fn start_reduce<T: Element, const N: usize, S: ReduceShape, G: ThreadGroup>(
    group: &G,
    op: impl ReduceOp<T>,
    src: &impl CopySource<T, N, Group = G>,
    dst: &TensorReduceTile<T, S>,
    hint: impl raw::L2CacheHint,
) {
    meet!(group; src.place());
    if group.is_leader() {
        // SAFETY: the points of `start_store` hold, except that the CTA shares `dst`: "Each reduction operation … has
        // individually `.relaxed.gpu` memory ordering semantics" (9.7.9.25.5.3). `ReduceOp` and clause 1 of
        // `TensorMapReduce::from_raw` fit the operation to the map's element type.
        unsafe { S::reduce(op, dst.object, dst.coords, src.tile(), hint) }
    }
}

// SAFETY: the parts are the two fields of the tuple, each once.
unsafe impl<Src: Source<Group: ThreadGroup>, T, S: StoreShape> Split for (Src, TensorTileMut<T, S>) {
    type Sources = Src::Read;
    type Destinations = <Src::Group as ThreadGroup>::Regained<TensorTileMut<T, S>>;
    #[inline(always)]
    fn split(self, token: Token) -> (Self::Sources, Self::Destinations) {
        (self.0.when_read(token), Src::Group::regain(self.1, token))
    }
    type Written = (Src, Self::Destinations);
    #[inline(always)]
    fn written(self, token: Token) -> Self::Written {
        (self.0, Src::Group::regain(self.1, token))
    }
}

// SAFETY: the parts are the two fields of the tuple, each once.
unsafe impl<Src: Source, T, S: ReduceShape> Split for (Src, TensorReduceTile<T, S>) {
    type Sources = Src::Read;
    type Destinations = TensorReduceTile<T, S>;
    #[inline(always)]
    fn split(self, token: Token) -> (Self::Sources, Self::Destinations) {
        (self.0.when_read(token), self.1)
    }
    type Written = Self;
    #[inline(always)]
    fn written(self, _: Token) -> Self {
        self
    }
}

crate::cache_policy::hintable! {
    [T, S: LoadShape] TensorTile<T, S>;
    [T, S: StoreShape] TensorTileMut<T, S>;
    [T, S: ReduceShape] TensorReduceTile<T, S>;
}

handles! { TensorMapMut<f32, Box1<4>>, TensorTilesMut<f32, Box1<4>>, TensorTileMut<f32, Box1<4>> }
handles! { Copy: TensorMap<f32, Box1<4>> }
