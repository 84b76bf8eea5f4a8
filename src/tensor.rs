//! Tensor copies (9.7.9.25.5): boxes of tensors in global memory, which a *tensor map* describes.
//!
//! A map's type carries its element and its [`Shape`]: the rank, the mode of the copy, and the box, which is as much
//! as one copy moves. So the shared memory, the coordinates and the bytes that an mbarrier expects fit by their types.
//! A kernel gets a map as a pointer to a [`TensorMapObject`], which the host has encoded (`ptx_host::TensorMap`), and
//! makes of it, once:
//!
//! | | the tensor is | its copies |
//! | --- | --- | --- |
//! | [`TensorMap`] | written by nobody | [`load`], [`prefetch`] from where one likes |
//! | [`TensorMapMut`] | the grid's alone, its boxes dealt out to the CTAs | [`load`], [`store`] of a box that is owned |
//! | [`TensorMapReduce`] | only reduced into | [`reduce`] to where one likes |
//!
//! # Where a copy may begin
//!
//! The innermost coordinate, times the size of an element, is a multiple of 16 bytes; otherwise an H200 ends the grid with an
//! illegal instruction, whatever the operation, the mode and the swizzle. The ISA does not say so. The other coordinates of a
//! box may be any. So there are three ways to name a place:
//!
//! - [`box_at`](TensorMap::box_at) takes the index of a box in each dimension, as a loop over boxes has it. Rows of boxes
//!   are multiples of 16 bytes, so this is always right.
//! - [`at`](TensorMap::at) takes coordinates and gives `None` where no copy may begin. Of an innermost coordinate that is
//!   computed as a multiple nothing is left to check, as LLVM knows its low bits.
//! - `at_const` takes constant coordinates, as in `map.at_const::<4, -1>()`, which are checked when the kernel is built.
//!
//! Columns of pixels start within the bounding box of their map, which [`BoundingBox`] says; `at` checks that too.
//!
//! Loads complete on an [`Mbarrier`](crate::mbarrier::Mbarrier), one for a box or for several, and for tiles of global memory
//! beside them: [`load`] is that of [`bulk`](crate::bulk). Stores and reductions complete in a [`BulkGroup`].
//!
//! A CTA can describe a tensor of its own, from a map that is there:
//!
//! ```text
//!  Shared<Free> ─ draft ─► TensorMapDraft ─ retype, global_address, … ─► TensorMapDraft ─ publish ─► ReleasedTensorMap ─ acquire ─► TensorMap
//! ```

use core::marker::PhantomData;

use crate::async_group::Token;
use crate::bulk::{BulkGroup, CopySource, Extendable, LoadSource, Source, Split, Uncommitted};
use crate::cache_policy::MaybeHinted;
use crate::group::{Cta, ThreadGroup};
use crate::qualifier::{Sealed, op};
use crate::raw;
use crate::shared::{Element, Shared};
use crate::size;

mod draft;
mod shape;

pub use draft::{
    Acquired, ElementTypeOf, FillOf, MapElement, ReleasedTensorMap, Replace, ReplaceAtomicity,
    TensorMapDraft, TensorMapSlot, draft,
};
pub use shape::*;

// One function for tiles of global memory and of tensors: an mbarrier can wait for both.
pub use crate::bulk::{load, load_with};

/// The 128 opaque bytes of a tensor map, as `cuTensorMapEncodeTiled` writes them: what a kernel's parameter points to.
///
/// ```
/// use ptx::tensor::{Box2, TensorMap, TensorMapObject};
/// /// What a kernel does first with such a parameter, a `*const TensorMapObject`.
/// unsafe fn map(object: *const TensorMapObject) -> TensorMap<f32, Box2<64, 32>> {
///     // SAFETY: the caller's: the host encodes the map so.
///     unsafe { TensorMap::from_raw(object) }
/// }
/// ```
#[repr(C, align(64))]
#[derive(Debug)]
pub struct TensorMapObject([u64; 16]);

static_assertions::const_assert_eq!(size_of::<TensorMapObject>(), 128);

/// The bytes of a copy of shape `S`. Fails where the shape does not suit the elements.
pub(crate) const fn shape_bytes<T, S: Shape>() -> u32 {
    let () = S::LIMITS;
    assert!(
        size::product([S::ROW, size_of::<T>()]).is_multiple_of(16),
        "the innermost dimension of a box has a multiple of 16 bytes (`cuTensorMapEncodeTiled`, PTX ISA 5.5.3.1)"
    );
    assert!(
        S::SWIZZLES.is_empty() || contains(S::SWIZZLES, size::product([S::ROW, size_of::<T>()])),
        "the channels of `.im2col::w` and `.im2col::w::128` have the 32, 64 or 128 bytes of a swizzle, which these modes need (PTX ISA 5.5.5)"
    );
    assert!(
        size::product([S::LEN, size_of::<T>()]) < 1 << 20,
        "an mbarrier counts 2^20 - 1 bytes at most: choose a smaller box (PTX ISA 9.7.13.15.2)"
    );
    size::shared(size::product([S::LEN, size_of::<T>()]))
}

const fn contains(widths: &[usize], bytes: usize) -> bool {
    match widths {
        [] => false,
        [first, rest @ ..] => *first == bytes || contains(rest, bytes),
    }
}

/// [`shape_bytes`], which `N` elements of shared memory hold.
pub(crate) const fn tile_bytes<T, S: Shape, const N: usize>() -> u32 {
    assert!(
        N == S::LEN,
        "the shared array and the box of the tensor map differ in size: a `SharedArray<T, N>` for a `Box2<W, H>` has N = W * H elements"
    );
    shape_bytes::<T, S>()
}

/// The elements of which the innermost coordinate is a multiple.
const fn unit<T>() -> i32 {
    assert!(
        size_of::<T>() <= 16 && size_of::<T>().is_power_of_two(),
        "an element of a tensor has at most 16 bytes"
    );
    16 / size_of::<T>() as i32
}

/// Fails where no copy may begin at a constant innermost coordinate.
const fn assert_aligned<T>(innermost: i32) {
    assert!(
        innermost & (unit::<T>() - 1) == 0,
        "the innermost coordinate of a tensor copy is a multiple of 16 bytes: of 16 elements of one byte, of 4 `f32`, of 2 `f64` (an H200 ends the grid otherwise); load the 16 bytes that hold it, and skip elements"
    );
}

/// A map of a tensor that nobody writes while the kernel runs.
///
/// ```
/// # use ptx::{launch::Cta, mbarrier::{Mbarrier, Ready}, shared::SharedArray, tensor::{self, Box2, TensorMap}};
/// # fn kernel(cta: &mut Cta, map: TensorMap<f32, Box2<64, 32>>, tile: SharedArray<f32, 2048>, bar: Mbarrier<Ready>) {
/// cta.async_scope((tile, bar), |cta, (tile, bar)| {
///     tensor::prefetch(cta, map.box_at([1, 0])); // the next box, while this one is used
///     let (bar, tile, _) = tensor::load(cta, bar, tile, map.box_at([0, 0])).wait(cta);
///     (tile.release(cta), bar)
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

static_assertions::assert_not_impl_any!(TensorMap<f32, Box1<4>>: Send, Sync);

impl<T: Element, S: LoadShape> TensorMap<T, S> {
    /// ```
    /// # use ptx::tensor::{Box2, TensorMap, TensorMapObject};
    /// # unsafe fn kernel(object: *const TensorMapObject) {
    /// // SAFETY: the host encodes a map of `f32`, of two dimensions, with boxes of 64 by 32.
    /// let map = unsafe { TensorMap::<f32, Box2<64, 32>>::from_raw(object) };
    /// # }
    /// ```
    ///
    /// # Safety
    ///
    /// - `object` is the generic address, aligned to 64, of a tensor map in global or constant memory, or among the
    ///   kernel's parameters. It was there before the launch, or was released to and acquired for the tensormap proxy
    ///   (`fence.proxy.tensormap`). Nobody writes it until the grid ends.
    /// - it has the rank, the mode and the box of `S`, and elements of the size of `T`, not of a sub-byte type
    ///   (`.b4x16`, `.b4x16_p64`, `.b6x16_p32`, `.b6p2x16`).
    /// - its element strides are 1; of a column of pixels, whose number they do not change (5.5.4.2), those along W, H and D
    ///   may be others.
    /// - it has no interleave. It has no swizzle, or one as wide as a row of the box: then units of 16 bytes or more of the
    ///   shared memory are permuted. Of [`Im2colW3`] and its like it has one, without a flip of 8 bytes (5.5.5).
    /// - the tensor is valid global memory, which nobody writes until the grid ends.
    #[inline(always)]
    pub const unsafe fn from_raw(object: *const TensorMapObject) -> Self
    where
        S: UnboundedShape,
    {
        // SAFETY: the caller's contract; such a map has no bounding box.
        unsafe { Self::from_raw_within(object, ()) }
    }

    /// [`from_raw`](TensorMap::from_raw) of columns of pixels, with the pixels from which they start.
    ///
    /// ```
    /// # use ptx::tensor::{BoundingBox, Im2col3, TensorMap, TensorMapObject};
    /// # unsafe fn kernel(object: *const TensorMapObject, width: i32) {
    /// let starts = BoundingBox { first: [-1], last: [width - 2] };
    /// // SAFETY: a map of `f32`, C by W by N, with columns of 128 pixels of 64 channels and the corners (-1) and (-1).
    /// let map = unsafe { TensorMap::<f32, Im2col3<64, 128>>::from_raw_within(object, starts) };
    /// # }
    /// ```
    ///
    /// # Safety
    ///
    /// - as [`from_raw`](TensorMap::from_raw).
    /// - `bounds` lies within the bounding box of the map (5.5.4.1). Of [`Im2colW3`] and its like, whose maps have one along W
    ///   alone, what it says of H and D lies within the tensor.
    #[inline(always)]
    pub const unsafe fn from_raw_within(object: *const TensorMapObject, bounds: S::Bounds) -> Self {
        const { shape_bytes::<T, S>() };
        TensorMap { object: object.cast(), bounds, _of: PhantomData }
    }

    /// The part of the tensor at `at`, for [`load`] and [`prefetch`]: for a box the coordinates of its first element, the
    /// innermost dimension first. Coordinates may be negative or beyond the tensor: what lies outside reads as the fill of
    /// the map, zeros or NaN.
    ///
    /// `None` where no copy may begin: the innermost coordinate is no multiple of 16 bytes, or a column would start outside of the
    /// [`BoundingBox`].
    ///
    /// ```
    /// # use ptx::{launch::Cta, tensor::{Box2, TensorMap}};
    /// # fn kernel(cta: &Cta, map: TensorMap<f32, Box2<64, 32>>, rows: i32) {
    /// let last_rows = map.at([64, rows - 32]);
    /// let halo = map.at([-4, -1]); // its first row and its first four columns read as the fill
    /// let nothing = map.at([-1, 0]); // `None`: four bytes before the first
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

    /// The box of the index `index` among the boxes into which the tensor is divided from coordinate 0 on, the innermost
    /// dimension first. An index may be negative or beyond the tensor; coordinates wrap around at 2^32.
    ///
    /// ```
    /// # use ptx::{launch::Cta, tensor::{Box2, TensorMap}};
    /// # fn kernel(cta: &Cta, map: TensorMap<f32, Box2<64, 32>>) {
    /// let tile = map.box_at([1, 2]); // columns 64 to 127 of rows 64 to 95
    /// let margin = map.box_at([-1, 0]); // the fill
    /// # }
    /// ```
    #[inline(always)]
    pub fn box_at(self, index: S::At) -> TensorTile<T, S>
    where
        S: BoxShape,
    {
        TensorTile { map: self, at: S::first(index) }
    }

    /// Brings the map into the cache for a copy to come.
    ///
    /// Collective in the group.
    ///
    /// PTX, by the leader: `prefetch.tensormap [object];`
    ///
    /// ```
    /// # use ptx::{launch::Cta, tensor::{Box2, TensorMap}};
    /// # fn kernel(cta: &Cta, map: &TensorMap<f32, Box2<64, 32>>) {
    /// map.prefetch_tensormap(cta);
    /// # }
    /// ```
    #[inline(always)]
    pub fn prefetch_tensormap(&self, group: &impl ThreadGroup) {
        prefetch_object(group, self.object);
    }
}

/// `at_const`, for each box with as many coordinates as its rank: of a map for loads and of one for reductions.
macro_rules! at_const {
    ($(
        $Box:ident<$($D:ident),+>[$X:ident $(, $Y:ident)*] { $(#[$load:meta])* } { $(#[$reduce:meta])* }
    )*) => { $(
        impl<T: Element, $(const $D: usize),+> TensorMap<T, $Box<$($D),+>> {
            $(#[$load])*
            #[inline(always)]
            pub const fn at_const<const $X: i32 $(, const $Y: i32)*>(self) -> TensorTile<T, $Box<$($D),+>> {
                const { assert_aligned::<T>($X) };
                TensorTile { map: self, at: [$X $(, $Y)*] }
            }
        }
        impl<T: Element, $(const $D: usize),+> TensorMapReduce<T, $Box<$($D),+>> {
            $(#[$reduce])*
            #[inline(always)]
            pub const fn at_const<const $X: i32 $(, const $Y: i32)*>(self) -> TensorReduction<T, $Box<$($D),+>> {
                const {
                    assert_aligned::<T>($X);
                    assert!(
                        $X >= 0 $(&& $Y >= 0)*,
                        "a reduction begins at coordinates that are not negative (PTX ISA 9.7.9.25.5.1)"
                    );
                }
                TensorReduction { object: self.object, corner: [$X $(, $Y)*], _of: PhantomData }
            }
        }
    )* };
}
at_const! {
    Box1<D0>[X]
    {
        /// The part of the tensor at constant coordinates. If the innermost one is no multiple of 16 bytes, it does not build.
        ///
        /// ```
        /// # use ptx::tensor::{Box1, TensorMap};
        /// # fn kernel(map: TensorMap<f32, Box1<256>>) {
        /// let tile = map.at_const::<-4>();
        /// # }
        /// ```
    }
    {
        /// The part of the tensor at constant coordinates. If one is negative, or the innermost one no multiple of 16 bytes, it does
        /// not build.
        ///
        /// ```
        /// # use ptx::tensor::{Box1, TensorMapReduce};
        /// # fn kernel(sums: TensorMapReduce<f32, Box1<256>>) {
        /// let part = sums.at_const::<4>();
        /// # }
        /// ```
    }
    Box2<D0, D1>[X, Y]
    {
        /// The part of the tensor at constant coordinates. If the innermost one is no multiple of 16 bytes, it does not build.
        ///
        /// ```
        /// # use ptx::tensor::{Box2, TensorMap};
        /// # fn kernel(map: TensorMap<f32, Box2<64, 32>>) {
        /// let tile = map.at_const::<4, -1>();
        /// # }
        /// ```
    }
    {
        /// The part of the tensor at constant coordinates. If one is negative, or the innermost one no multiple of 16 bytes, it does
        /// not build.
        ///
        /// ```
        /// # use ptx::tensor::{Box2, TensorMapReduce};
        /// # fn kernel(sums: TensorMapReduce<f32, Box2<64, 32>>) {
        /// let part = sums.at_const::<4, 1>();
        /// # }
        /// ```
    }
    Box3<D0, D1, D2>[X, Y, Z]
    {
        /// The part of the tensor at constant coordinates. If the innermost one is no multiple of 16 bytes, it does not build.
        ///
        /// ```
        /// # use ptx::tensor::{Box3, TensorMap};
        /// # fn kernel(map: TensorMap<f32, Box3<64, 8, 4>>) {
        /// let tile = map.at_const::<4, -1, 2>();
        /// # }
        /// ```
    }
    {
        /// The part of the tensor at constant coordinates. If one is negative, or the innermost one no multiple of 16 bytes, it does
        /// not build.
        ///
        /// ```
        /// # use ptx::tensor::{Box3, TensorMapReduce};
        /// # fn kernel(sums: TensorMapReduce<f32, Box3<64, 8, 4>>) {
        /// let part = sums.at_const::<4, 1, 2>();
        /// # }
        /// ```
    }
    Box4<D0, D1, D2, D3>[X, Y, Z, W]
    {
        /// The part of the tensor at constant coordinates. If the innermost one is no multiple of 16 bytes, it does not build.
        ///
        /// ```
        /// # use ptx::tensor::{Box4, TensorMap};
        /// # fn kernel(map: TensorMap<f32, Box4<64, 4, 4, 2>>) {
        /// let tile = map.at_const::<4, -1, 2, 0>();
        /// # }
        /// ```
    }
    {
        /// The part of the tensor at constant coordinates. If one is negative, or the innermost one no multiple of 16 bytes, it does
        /// not build.
        ///
        /// ```
        /// # use ptx::tensor::{Box4, TensorMapReduce};
        /// # fn kernel(sums: TensorMapReduce<f32, Box4<64, 4, 4, 2>>) {
        /// let part = sums.at_const::<4, 1, 2, 0>();
        /// # }
        /// ```
    }
    Box5<D0, D1, D2, D3, D4>[X, Y, Z, W, V]
    {
        /// The part of the tensor at constant coordinates. If the innermost one is no multiple of 16 bytes, it does not build.
        ///
        /// ```
        /// # use ptx::tensor::{Box5, TensorMap};
        /// # fn kernel(map: TensorMap<f32, Box5<32, 4, 4, 2, 2>>) {
        /// let tile = map.at_const::<4, -1, 2, 0, 1>();
        /// # }
        /// ```
    }
    {
        /// The part of the tensor at constant coordinates. If one is negative, or the innermost one no multiple of 16 bytes, it does
        /// not build.
        ///
        /// ```
        /// # use ptx::tensor::{Box5, TensorMapReduce};
        /// # fn kernel(sums: TensorMapReduce<f32, Box5<32, 4, 4, 2, 2>>) {
        /// let part = sums.at_const::<4, 1, 2, 0, 1>();
        /// # }
        /// ```
    }
}

/// A part of a tensor that nobody writes, as large as one copy.
///
/// ```
/// # use ptx::{launch::Cta, tensor::{self, Box2, TensorMap, TensorTile}};
/// # fn kernel(cta: &Cta, map: TensorMap<f32, Box2<64, 32>>) {
/// let tile: TensorTile<f32, Box2<64, 32>> = map.box_at([0, 1]);
/// tensor::prefetch(cta, tile);
/// # }
/// ```
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

/// A map of a tensor that the grid writes and nobody else uses. Of a [`BoxShape`], it is divided into boxes, from
/// coordinate 0 on, which are dealt out to the CTAs.
///
/// ```
/// # use ptx::{launch::Cta, shared::SharedArray, tensor::{self, Box2, TensorMapMut}};
/// # fn kernel(cta: &mut Cta, map: TensorMapMut<f32, Box2<64, 32>>, tile: SharedArray<f32, 2048>) {
/// cta.async_scope(tile, |cta, tile| {
///     let mut tile = tile.write(cta, |_| 1.0).to_async(cta);
///     let mut mine = map.boxes(cta);
///     while let Some((_, dst)) = mine.next_tile() {
///         (tile, _) = tensor::store(cta, tile, dst).commit(cta).wait(cta); // ones everywhere
///     }
///     tile.into_free()
/// });
/// # }
/// ```
#[derive(Debug)]
pub struct TensorMapMut<T, S: StoreShape> {
    object: *const u8,
    boxes: S::Index,
    _of: PhantomData<*mut T>,
}

static_assertions::assert_not_impl_any!(TensorMapMut<f32, Box1<4>>: Copy, Clone, Send, Sync);

impl<T: Element, S: StoreShape> TensorMapMut<T, S> {
    /// `boxes` is how many boxes the grid writes in each dimension, the innermost first, and `()` of a shape that is not a
    /// box. They may cover more than the tensor: what a store has outside is not written, but for the rest of a row's last 16 bytes.
    ///
    /// ```
    /// # use ptx::tensor::{Box2, TensorMapMut, TensorMapObject};
    /// # unsafe fn kernel(object: *const TensorMapObject, width: u32, height: u32) {
    /// let boxes = [width.div_ceil(64), height.div_ceil(32)];
    /// // SAFETY: the host encodes a map of `f32`, `width` by `height`, with boxes of 64 by 32, for this grid alone.
    /// let map = unsafe { TensorMapMut::<f32, Box2<64, 32>>::from_raw(object, boxes) };
    /// # }
    /// ```
    ///
    /// # Safety
    ///
    /// - as [`TensorMap::from_raw`], but that the tensor is written. No two of its elements share memory.
    /// - a store writes rows by 16 bytes, as measured on an H200: the bytes after a row up to the next multiple of 16, which
    ///   are padding as strides are such multiples, and so belong to the tensor here, get what the box holds there. A tensor
    ///   of one dimension has no stride: there the bytes up to that multiple are the grid's too.
    /// - until the grid ends, it alone uses the tensor, through this handle alone, which each of its threads makes once,
    ///   with equal arguments, an equal `T` and an equal `S`.
    /// - there are 2^31 boxes at most, and none of their coordinates is 2^31 or more.
    /// - with an `.im2col` map, the bounding box stays within the tensor: its lower corner is not negative, its upper corner
    ///   not positive (9.7.9.25.5.1).
    #[inline(always)]
    pub const unsafe fn from_raw(object: *const TensorMapObject, boxes: S::Index) -> Self {
        const { shape_bytes::<T, S>() };
        TensorMapMut { object: object.cast(), boxes, _of: PhantomData }
    }

    /// The part of the tensor at `corner`, for grids that divide it in their own way. `None` where no copy may begin: the
    /// innermost coordinate is no multiple of 16 bytes, or a coordinate is negative.
    ///
    /// ```
    /// # use ptx::{launch::Cta, tensor::{Box2, TensorMapMut}};
    /// # fn kernel(cta: &Cta, map: &TensorMapMut<f32, Box2<64, 32>>) {
    /// // SAFETY: each CTA has rows of its own, and makes one tile of them.
    /// let tile = unsafe { map.at([0, 32 * cta.grid_rank() as i32]) };
    /// # let _ = tile;
    /// # }
    /// ```
    ///
    /// # Safety
    ///
    /// - until the grid ends, the elements of this part are in no other tile that exists, in whichever CTA, unless that tile was
    ///   given back by its copies before and is not used any more.
    /// - a column starts within the bounding box of the map (5.5.4.1), along W, H and D.
    #[inline(always)]
    pub unsafe fn at(&self, corner: S::TensorCoords) -> Option<TensorTileMut<T, S>> {
        if S::writes(&corner, const { unit::<T>() }) {
            Some(TensorTileMut { object: self.object, corner, _of: PhantomData })
        } else {
            None
        }
    }

    /// Brings the map into the cache for a copy to come.
    ///
    /// Collective in the group.
    ///
    /// PTX, by the leader: `prefetch.tensormap [object];`
    ///
    /// ```
    /// # use ptx::{launch::Cta, tensor::{Box2, TensorMapMut}};
    /// # fn kernel(cta: &Cta, map: &TensorMapMut<f32, Box2<64, 32>>) {
    /// map.prefetch_tensormap(cta);
    /// # }
    /// ```
    #[inline(always)]
    pub fn prefetch_tensormap(&self, group: &impl ThreadGroup) {
        prefetch_object(group, self.object);
    }
}

impl<T: Element, S: BoxShape> TensorMapMut<T, S> {
    /// The boxes that are this CTA's: those of the numbers `rank`, `rank + count`, …, the innermost dimension fastest.
    ///
    /// Collective in the CTA.
    ///
    /// ```
    /// # use ptx::{launch::Cta, tensor::{Box2, TensorMapMut}};
    /// # fn kernel(cta: &Cta, map: TensorMapMut<f32, Box2<64, 32>>) {
    /// let mut mine = map.boxes(cta);
    /// let first = mine.next_tile(); // the box of the CTA's rank, if there are so many
    /// # let _ = first;
    /// # }
    /// ```
    #[inline(always)]
    pub fn boxes(self, cta: &Cta) -> BoxesMut<T, S> {
        BoxesMut {
            object: self.object,
            boxes: self.boxes,
            next: cta.grid_rank(),
            count: S::count(self.boxes),
            // Where there are as many CTAs as there can be boxes, each has one at most.
            step: cta.grid_size().min(1 << 31),
            _of: PhantomData,
        }
    }
}

/// The boxes of a [`TensorMapMut`] that this CTA has and has not yet taken.
///
/// ```
/// # use ptx::tensor::{Box2, BoxesMut};
/// /// How many boxes are left for this CTA.
/// fn count(mut boxes: BoxesMut<f32, Box2<64, 32>>) -> u32 {
///     let mut count = 0;
///     while boxes.next_tile().is_some() {
///         count += 1;
///     }
///     count
/// }
/// ```
#[derive(Debug)]
pub struct BoxesMut<T, S: BoxShape> {
    object: *const u8,
    boxes: S::Index,
    /// Among all boxes: the next of this CTA, their number, and the distance to the one after it. A sum of `step` and a number below `count`
    /// is below 2^32.
    next: u32,
    count: u32,
    step: u32,
    _of: PhantomData<*mut T>,
}

static_assertions::assert_not_impl_any!(BoxesMut<f32, Box1<4>>: Copy, Clone, Send, Sync);

impl<T: Element, S: BoxShape> BoxesMut<T, S> {
    /// The largest number of boxes that any CTA of the grid has. This CTA has that many, or one fewer. Equal in all CTAs of the grid, so
    /// a loop of that many rounds can contain calls that are collective in the cluster.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{cluster::Cluster, tensor::{Box2, BoxesMut}};
    /// # fn kernel(cluster: &Cluster<'_>, mut boxes: BoxesMut<f32, Box2<64, 32>>) {
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

    /// The next box, with its index in each dimension, or `None` when all are taken. It is one box of the CTA: all threads that hold the
    /// handle take it alike, without a barrier.
    ///
    /// ```
    /// # use ptx::{launch::Cta, tensor::{Box2, TensorMapMut}};
    /// # fn kernel(cta: &Cta, map: TensorMapMut<f32, Box2<64, 32>>) {
    /// let mut mine = map.boxes(cta);
    /// while let Some(([column, row], tile)) = mine.next_tile() {
    ///     // `tile` begins at the coordinates [64 * column, 32 * row].
    /// # let _ = (column, row, tile);
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn next_tile(&mut self) -> Option<(S::Index, TensorTileMut<T, S>)> {
        if self.next >= self.count {
            return None;
        }
        // SAFETY: there is a box `next`. By the contract of `TensorMapMut::from_raw` none has a coordinate of 2^31 or more.
        let (index, corner) = unsafe {
            let index = S::index(self.boxes, self.next);
            (index, S::corner(index))
        };
        self.next += self.step;
        Some((index, TensorTileMut { object: self.object, corner, _of: PhantomData }))
    }
}

/// A part of a tensor that is this CTA's alone, as large as one copy.
///
/// ```
/// # use ptx::{launch::Cta, mbarrier::{Mbarrier, Ready}, shared::SharedArray, tensor::{self, Box2, TensorTileMut}};
/// # fn kernel(cta: &mut Cta, part: TensorTileMut<f32, Box2<64, 32>>, tile: SharedArray<f32, 2048>, bar: Mbarrier<Ready>) {
/// cta.async_scope((tile, bar), |cta, (tile, bar)| {
///     let (bar, tile, part) = tensor::load(cta, bar, tile, part).wait(cta);
///     let tile = tile.update(cta, |_, x| 2.0 * x).to_async(cta);
///     let (tile, _part) = tensor::store(cta, tile, part).commit(cta).wait(cta);
///     (tile.into_free(), bar)
/// });
/// # }
/// ```
#[derive(Debug)]
pub struct TensorTileMut<T, S: StoreShape> {
    object: *const u8,
    corner: S::TensorCoords,
    _of: PhantomData<*mut T>,
}

static_assertions::assert_not_impl_any!(TensorTileMut<f32, Box1<4>>: Copy, Clone, Send, Sync);

/// A map of a tensor that is reduced into, by as many CTAs as like, and not used otherwise.
///
/// ```
/// # use ptx::tensor::{Box2, TensorMapReduce};
/// # fn kernel(sums: TensorMapReduce<f32, Box2<64, 32>>) {
/// let (one, other) = (sums.at([64, 0]), sums.at([64, 1])); // parts may overlap
/// # }
/// ```
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
    /// ```
    /// # use ptx::tensor::{Box2, TensorMapObject, TensorMapReduce};
    /// # unsafe fn kernel(object: *const TensorMapObject) {
    /// // SAFETY: a map of `f32`, with boxes of 64 by 32, into which this grid alone reduces.
    /// let sums = unsafe { TensorMapReduce::<f32, Box2<64, 32>>::from_raw(object) };
    /// # }
    /// ```
    ///
    /// # Safety
    ///
    /// - as [`TensorMap::from_raw`], but that the tensor is reduced into, and that the map's element type is that of `T`:
    ///   `.u32`, `.s32`, `.u64`, `.s64`, `.f32`; `.f16`, `.bf16` of `half::f16`, `half::bf16` (feature `half`).
    /// - until the grid ends, the tensor is accessed by reductions through such handles alone, made by threads of this grid. (An
    ///   ordinary access would be a race, an atomic one of another proxy.)
    #[inline(always)]
    pub const unsafe fn from_raw(object: *const TensorMapObject) -> Self
    where
        S: UnboundedShape,
    {
        // SAFETY: the caller's contract; such a map has no bounding box.
        unsafe { Self::from_raw_within(object, ()) }
    }

    /// [`from_raw`](TensorMapReduce::from_raw) of columns of pixels, with the pixels from which they start.
    ///
    /// ```
    /// # use ptx::tensor::{BoundingBox, Im2col3, TensorMapObject, TensorMapReduce};
    /// # unsafe fn kernel(object: *const TensorMapObject, width: i32) {
    /// let starts = BoundingBox { first: [0], last: [width - 1] };
    /// // SAFETY: a map of `f32`, C by W by N, with columns of 128 pixels of 64 channels and the corners (0) and (0).
    /// let sums = unsafe { TensorMapReduce::<f32, Im2col3<64, 128>>::from_raw_within(object, starts) };
    /// # }
    /// ```
    ///
    /// # Safety
    ///
    /// - as [`from_raw`](TensorMapReduce::from_raw).
    /// - the bounding box of the map stays within the tensor: its lower corner is not negative, its upper corner not positive
    ///   (9.7.9.25.5.1). `bounds` lies within it.
    #[inline(always)]
    pub const unsafe fn from_raw_within(object: *const TensorMapObject, bounds: S::Bounds) -> Self {
        const { shape_bytes::<T, S>() };
        TensorMapReduce { object: object.cast(), bounds, _of: PhantomData }
    }

    /// The part of the tensor at `corner`, for [`reduce`]. What a reduction has outside of the tensor is dropped, but perhaps
    /// for the bytes after a row up to the next multiple of 16, as of a store.
    ///
    /// `None` where no copy may begin: the innermost coordinate is no multiple of 16 bytes, a coordinate is negative (9.7.9.25.5.1),
    /// or a column would start outside of the [`BoundingBox`].
    ///
    /// ```
    /// # use ptx::{launch::Cta, tensor::{Box2, TensorMapReduce}};
    /// # fn kernel(cta: &Cta, sums: TensorMapReduce<f32, Box2<64, 32>>) {
    /// let Some(part) = sums.at([64 * cta.grid_rank() as i32, 0]) else { return };
    /// # }
    /// ```
    #[inline(always)]
    pub fn at(self, corner: S::TensorCoords) -> Option<TensorReduction<T, S>> {
        if S::writes(&corner, const { unit::<T>() }) & S::is_within(&corner, self.bounds) {
            Some(TensorReduction { object: self.object, corner, _of: PhantomData })
        } else {
            None
        }
    }

    /// Brings the map into the cache for a copy to come.
    ///
    /// Collective in the group.
    ///
    /// PTX, by the leader: `prefetch.tensormap [object];`
    ///
    /// ```
    /// # use ptx::{launch::Cta, tensor::{Box2, TensorMapReduce}};
    /// # fn kernel(cta: &Cta, map: &TensorMapReduce<f32, Box2<64, 32>>) {
    /// map.prefetch_tensormap(cta);
    /// # }
    /// ```
    #[inline(always)]
    pub fn prefetch_tensormap(&self, group: &impl ThreadGroup) {
        prefetch_object(group, self.object);
    }
}

/// A part of a tensor that is reduced into.
///
/// ```
/// # use ptx::{launch::Cta, qualifier::op, shared::SharedArray, tensor::{self, Box2, TensorReduction}};
/// # fn kernel(cta: &mut Cta, tile: SharedArray<i32, 2048>, dst: TensorReduction<i32, Box2<64, 32>>) {
/// cta.async_scope(tile, |cta, tile| {
///     let tile = tile.write(cta, |i| i as i32).to_async(cta);
///     let (tile, _) = tensor::reduce(cta, op::Max, tile, dst).commit(cta).wait(cta);
///     tile.into_free()
/// });
/// # }
/// ```
#[derive(Debug)]
pub struct TensorReduction<T, S: ReduceShape> {
    object: *const u8,
    corner: S::TensorCoords,
    _of: PhantomData<*mut T>,
}

impl<T, S: ReduceShape> Clone for TensorReduction<T, S> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, S: ReduceShape> Copy for TensorReduction<T, S> {}
impl<T, S: ReduceShape> Sealed for TensorReduction<T, S> {}

#[inline(always)]
fn prefetch_object(group: &impl ThreadGroup, object: *const u8) {
    if group.is_leader() {
        // SAFETY: by the contract of its `from_raw`, a map at a generic address.
        unsafe { raw::prefetch_tensormap(crate::qualifier::space::All, object) }
    }
}

impl<T, S: LoadShape> Sealed for TensorTile<T, S> {}
// SAFETY: the shape brings as many bytes, asserted.
unsafe impl<T: Element, const N: usize, State, S: LoadShape, G> LoadSource<Shared<'_, T, N, State, G>>
    for TensorTile<T, S>
{
    const FITS: () = {
        tile_bytes::<T, S, N>();
    };
    #[inline(always)]
    unsafe fn start(&self, dst: &Shared<'_, T, N, State, G>, mbar: u32, hint: impl raw::L2CacheHint) {
        // SAFETY: the caller's contract and that of `TensorMap::from_raw`; a tile begins where a copy may, by `at`; shared
        // arrays are aligned to 128 bytes.
        unsafe { S::load(dst.addr(), self.map.object, self.at, mbar, hint) }
    }
}

impl<T, S: StoreShape> Sealed for TensorTileMut<T, S> {}
// SAFETY: the shape brings as many bytes, asserted.
unsafe impl<T: Element, const N: usize, State, S: BoxShape, G> LoadSource<Shared<'_, T, N, State, G>>
    for TensorTileMut<T, S>
{
    const FITS: () = {
        tile_bytes::<T, S, N>();
    };
    #[inline(always)]
    unsafe fn start(&self, dst: &Shared<'_, T, N, State, G>, mbar: u32, hint: impl raw::L2CacheHint) {
        // SAFETY: as above, and of `TensorMapMut::from_raw`; the copy owns the source.
        unsafe { S::load(dst.addr(), self.object, S::at(self.corner), mbar, hint) }
    }
}

/// Starts to fetch a part of a tensor into the L2 cache. Nothing has to be waited for.
///
/// Collective in the group.
///
/// PTX, of a `Box2`, by the leader: `cp.async.bulk.prefetch.tensor.2d.L2.global.tile [map, {x, y}];`
///
/// ```
/// # use ptx::{launch::Cta, tensor::{self, Box2, TensorMap}};
/// # fn kernel(cta: &Cta, map: TensorMap<f32, Box2<64, 32>>) {
/// tensor::prefetch(cta, map.box_at([2, 1]));
/// # }
/// ```
#[inline(always)]
pub fn prefetch<T: Element, S: PrefetchShape>(
    group: &impl ThreadGroup,
    src: impl MaybeHinted<TensorTile<T, S>>,
) {
    let (src, hint) = src.split();
    if group.is_leader() {
        // SAFETY: the contract of `TensorMap::from_raw`; a tile begins where a copy may.
        unsafe { S::prefetch(src.map.object, src.at, hint) }
    }
}

/// A store of [`Shared`] memory in flight: its source and its destination.
///
/// ```
/// # use ptx::{bulk::{BulkGroup, Committed}, launch::Cta, tensor::{Box2, TensorStore, TensorTileMut}};
/// # use ptx::shared::{Fenced, Shared};
/// type Store<'s> = TensorStore<'s, f32, 2048, Fenced, Box2<64, 32>>;
/// fn finish<'s>(cta: &Cta, group: BulkGroup<Store<'s>, Committed>) -> Shared<'s, f32, 2048, Fenced> {
///     let (tile, _dst) = group.wait(cta);
///     tile
/// }
/// ```
pub type TensorStore<'s, T, const N: usize, State, S, G = Cta> =
    (Shared<'s, T, N, State, G>, TensorTileMut<T, S>);

/// A reduction of [`Shared`] memory in flight: its source and its destination.
///
/// ```
/// # use ptx::{bulk::{BulkGroup, Committed}, launch::Cta, tensor::{Box1, TensorReduce}};
/// # use ptx::shared::{Fenced, Shared};
/// type Reduce<'s> = TensorReduce<'s, f32, 256, Fenced, Box1<256>>;
/// fn finish<'s>(cta: &Cta, group: BulkGroup<Reduce<'s>, Committed>) -> Shared<'s, f32, 256, Fenced> {
///     let (tile, _dst) = group.wait(cta);
///     tile
/// }
/// ```
pub type TensorReduce<'s, T, const N: usize, State, S, G = Cta> =
    (Shared<'s, T, N, State, G>, TensorReduction<T, S>);

/// Starts a group with the copy of `src` to a part of a tensor. What is outside of the tensor is not written, but for the rest
/// of a row's last 16 bytes (see [`TensorMapMut::from_raw`]). `src` is as of [`bulk::store`](crate::bulk::store()).
///
/// Collective in the group.
///
/// PTX, of a `Box2`, by the leader: `cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [map, {x, y}],
/// [src];`
///
/// ```
/// # use ptx::{launch::Cta, shared::SharedArray, tensor::{self, Box2, TensorTileMut}};
/// # fn kernel(cta: &mut Cta, tile: SharedArray<f32, 2048>, dst: TensorTileMut<f32, Box2<64, 32>>) {
/// cta.async_scope(tile, |cta, tile| {
///     let tile = tile.write(cta, |i| i as f32).to_async(cta);
///     let (tile, _dst) = tensor::store(cta, tile, dst).commit(cta).wait(cta);
///     tile.into_free()
/// });
/// # }
/// ```
#[inline(always)]
pub fn store<T: Element, const N: usize, Src: CopySource<T, N, Group = G>, S: StoreShape, G: ThreadGroup>(
    group: &G,
    src: Src,
    dst: impl MaybeHinted<TensorTileMut<T, S>>,
) -> BulkGroup<(Src, TensorTileMut<T, S>), Uncommitted, G> {
    const { tile_bytes::<T, S, N>() };
    let (dst, hint) = dst.split();
    start_store(group, &src, &dst, hint);
    BulkGroup::new((src, dst))
}

#[inline(always)]
fn start_store<T: Element, const N: usize, S: StoreShape, G: ThreadGroup>(
    group: &G,
    src: &impl CopySource<T, N, Group = G>,
    dst: &TensorTileMut<T, S>,
    hint: impl raw::L2CacheHint,
) {
    if group.is_leader() {
        // SAFETY: the shape proves the size; a tile begins where a copy may, by `at` and `next_tile`; the source is aligned to 128
        // bytes and visible to the async proxy, by its `tile`; the destination is this CTA's alone; both go into the group.
        unsafe { S::store(dst.object, dst.corner, src.tile(), hint) }
    }
}

/// What [`reduce`] does with elements of `T`: `op::Add`, `op::Min` and their like.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no tensor reduction of elements of `{T}`",
    label = "not an operation on `{T}`",
    note = "`Add` takes `u32`, `i32`, `u64`, `f32`; `Min`, `Max`, `And`, `Or`, `Xor` take `u32`, `i32`, `u64`, `i64`; `Inc`, `Dec` take `u32`; with the feature `half`, `Add`, `Min`, `Max` take its two types (PTX ISA 9.7.9.25.5.3)"
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
#[cfg(feature = "half")]
reduce_ops! {
    Add: half::f16, half::bf16;
    Min: half::f16, half::bf16;
    Max: half::f16, half::bf16;
}

/// Starts a group with the reduction of `src` into a part of a tensor: each element there becomes `op` of itself and of that
/// of `src`, atomically (relaxed, at the scope of the GPU). `src` is as of [`bulk::store`](crate::bulk::store()).
///
/// Collective in the group.
///
/// PTX, of a `Box2` and `op::Add`, by the leader: `cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group
/// [map, {x, y}], [src];`
///
/// ```
/// # use ptx::{launch::Cta, qualifier::op, shared::SharedArray, tensor::{self, Box1, TensorMapReduce}};
/// # fn kernel(cta: &mut Cta, tile: SharedArray<f32, 256>, sums: TensorMapReduce<f32, Box1<256>>) {
/// cta.async_scope(tile, |cta, tile| {
///     let tile = tile.write(cta, |i| i as f32).to_async(cta);
///     let (tile, _) = tensor::reduce(cta, op::Add, tile, sums.at_const::<0>()).commit(cta).wait(cta);
///     tile.into_free()
/// });
/// # }
/// ```
#[inline(always)]
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
    dst: impl MaybeHinted<TensorReduction<T, S>>,
) -> BulkGroup<(Src, TensorReduction<T, S>), Uncommitted, G> {
    const { tile_bytes::<T, S, N>() };
    let (dst, hint) = dst.split();
    start_reduce(group, op, &src, &dst, hint);
    BulkGroup::new((src, dst))
}

#[inline(always)]
fn start_reduce<T: Element, const N: usize, S: ReduceShape, G: ThreadGroup>(
    group: &G,
    op: impl ReduceOp<T>,
    src: &impl CopySource<T, N, Group = G>,
    dst: &TensorReduction<T, S>,
    hint: impl raw::L2CacheHint,
) {
    if group.is_leader() {
        // SAFETY: as in `start_store`, but that others may reduce into the destination meanwhile: 9.7.9.25.5.3: "Each
        // reduction operation … has individually `.relaxed.gpu` memory ordering semantics." The map's type is `T`'s, which
        // the operation takes.
        unsafe { S::reduce(op, dst.object, dst.corner, src.tile(), hint) }
    }
}

impl<Copies, State: Extendable, G: ThreadGroup> BulkGroup<Copies, State, G> {
    /// Adds the copy of `src` to a part of a tensor.
    ///
    /// Collective in the group.
    ///
    /// PTX: as [`tensor::store`](store).
    ///
    /// ```
    /// # use ptx::{launch::Cta, shared::SharedArray, tensor::{self, Box2, TensorTileMut}};
    /// # type Stage = SharedArray<f32, 2048>;
    /// # type Part = TensorTileMut<f32, Box2<64, 32>>;
    /// # fn kernel(cta: &mut Cta, memory: (Stage, Stage), x: Part, y: Part) {
    /// cta.async_scope(memory, |cta, (a, b)| {
    ///     let (a, b) = (a.write(cta, |_| 0.0).to_async(cta), b.write(cta, |_| 1.0).to_async(cta));
    ///     let group = tensor::store(cta, a, x).tensor_store(cta, b, y).commit(cta);
    ///     let ((a, _), (b, _)) = group.wait(cta);
    ///     (a.into_free(), b.into_free())
    /// });
    /// # }
    /// ```
    #[inline(always)]
    #[expect(clippy::type_complexity, reason = "the group with one copy more")]
    pub fn tensor_store<T: Element, const N: usize, Src: CopySource<T, N, Group = G>, S: StoreShape>(
        self,
        group: &G,
        src: Src,
        dst: impl MaybeHinted<TensorTileMut<T, S>>,
    ) -> BulkGroup<(Copies, (Src, TensorTileMut<T, S>)), Uncommitted, G> {
        const { tile_bytes::<T, S, N>() };
        let (dst, hint) = dst.split();
        start_store(group, &src, &dst, hint);
        BulkGroup::new((self.into_copies(), (src, dst)))
    }

    /// Adds the reduction of `src` into a part of a tensor.
    ///
    /// Collective in the group.
    ///
    /// PTX: as [`tensor::reduce`](reduce).
    ///
    /// ```
    /// # use ptx::{launch::Cta, qualifier::op, shared::SharedArray, tensor::{self, Box2, TensorReduction, TensorTileMut}};
    /// # type Stage = SharedArray<f32, 2048>;
    /// # type Shape = Box2<64, 32>;
    /// # fn kernel(cta: &mut Cta, memory: (Stage, Stage), x: TensorTileMut<f32, Shape>, sums: TensorReduction<f32, Shape>) {
    /// cta.async_scope(memory, |cta, (a, b)| {
    ///     let (a, b) = (a.write(cta, |_| 0.0).to_async(cta), b.write(cta, |_| 1.0).to_async(cta));
    ///     let group = tensor::store(cta, a, x).tensor_reduce(cta, op::Add, b, sums).commit(cta);
    ///     let ((a, _), (b, _)) = group.wait(cta);
    ///     (a.into_free(), b.into_free())
    /// });
    /// # }
    /// ```
    #[inline(always)]
    #[expect(clippy::type_complexity, reason = "the group with one copy more")]
    pub fn tensor_reduce<T: Element, const N: usize, Src: CopySource<T, N, Group = G>, S: ReduceShape>(
        self,
        group: &G,
        op: impl ReduceOp<T>,
        src: Src,
        dst: impl MaybeHinted<TensorReduction<T, S>>,
    ) -> BulkGroup<(Copies, (Src, TensorReduction<T, S>)), Uncommitted, G> {
        const { tile_bytes::<T, S, N>() };
        let (dst, hint) = dst.split();
        start_reduce(group, op, &src, &dst, hint);
        BulkGroup::new((self.into_copies(), (src, dst)))
    }
}

// SAFETY: a tuple.
unsafe impl<Src: Source, T, S: StoreShape> Split for (Src, TensorTileMut<T, S>) {
    type Sources = Src::Read;
    type Destinations = TensorTileMut<T, S>;
    #[inline(always)]
    fn split(self, token: Token) -> (Self::Sources, Self::Destinations) {
        (self.0.when_read(token), self.1)
    }
}

// SAFETY: a tuple.
unsafe impl<Src: Source, T, S: ReduceShape> Split for (Src, TensorReduction<T, S>) {
    type Sources = Src::Read;
    type Destinations = TensorReduction<T, S>;
    #[inline(always)]
    fn split(self, token: Token) -> (Self::Sources, Self::Destinations) {
        (self.0.when_read(token), self.1)
    }
}

crate::cache_policy::hintable! {
    [T, S: LoadShape] TensorTile<T, S>, "a load or a prefetch":
        "# use ptx::{cache_policy::CachePolicy, launch::Cta, tensor::{self, Box2, TensorMap}};"
        "# fn kernel(cta: &Cta, map: TensorMap<f32, Box2<64, 32>>) {"
        "let corner = map.at_const::<0, 0>().cache_hint(CachePolicy::evict_last());"
        "tensor::prefetch(cta, corner);"
        "# }";
    [T, S: StoreShape] TensorTileMut<T, S>, "a load or a store":
        "# use ptx::{cache_policy::CachePolicy, launch::Cta, shared::{Fenced, Shared}, tensor::{self, Box2, TensorTileMut}};"
        "# fn kernel<'s>(cta: &Cta, tile: Shared<'s, f32, 2048, Fenced>, dst: TensorTileMut<f32, Box2<64, 32>>)"
        "# -> Shared<'s, f32, 2048, Fenced> {"
        "let dst = dst.cache_hint(CachePolicy::evict_first());"
        "let (tile, _dst) = tensor::store(cta, tile, dst).commit(cta).wait(cta);"
        "# tile"
        "# }";
    [T, S: ReduceShape] TensorReduction<T, S>, "a reduction":
        "# use ptx::{cache_policy::CachePolicy, launch::Cta, qualifier::op, shared::{Fenced, Shared}, tensor::{self, Box2, TensorReduction}};"
        "# fn kernel<'s>(cta: &Cta, tile: Shared<'s, i32, 2048, Fenced>, dst: TensorReduction<i32, Box2<64, 32>>)"
        "# -> Shared<'s, i32, 2048, Fenced> {"
        "let dst = dst.cache_hint(CachePolicy::evict_last());"
        "let (tile, _) = tensor::reduce(cta, op::Add, tile, dst).commit(cta).wait(cta);"
        "# tile"
        "# }";
}
