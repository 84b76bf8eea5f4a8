//! Shapes of tensor copies (TMA): the box, the rank and the mode (`.tile`, `.im2col`, …) of one copy.

use core::marker::PhantomData;

use crate::mask::CtaMask;
use crate::qualifier::{Sealed, cta_group, load_mode, multicast, space, swizzle_atomicity, swizzle_mode};
use crate::raw;
use crate::size;

/// What one tensor copy (TMA) moves, and how: a box ([`Box1`] to [`Box5`]), a column of pixels ([`Im2col3`] to [`Im2col5`],
/// [`Im2colW3`] and [`Im2colW128x3`] and their siblings), or four rows from anywhere ([`Gather4`], [`Scatter4`]).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a shape of a tensor copy",
    label = "not a shape",
    note = "use a box such as `Box2<64, 32>`, the innermost dimension first, or a column such as `Im2col4<64, 32>`"
)]
pub trait Shape: Sealed + 'static {
    /// The number of dimensions of a tensor that is copied in this shape.
    const RANK: usize;
    /// The number of elements that a copy of this shape moves, inside and outside the tensor: the length of the array in shared
    /// memory.
    const LEN: usize;
    /// The number of elements of a row of this shape, which is contiguous.
    #[doc(hidden)]
    const ROW: usize;
    /// The bytes within which this shape's swizzle permutes: its [`MapSwizzle::SPAN`].
    #[doc(hidden)]
    const SPAN: usize = swizzle_mode::None::SPAN;
    /// The bytes that this shape's swizzle keeps together: its [`MapSwizzle::UNIT`].
    #[doc(hidden)]
    const UNIT: usize = swizzle_mode::None::UNIT;
    /// A hash of this shape's extents and swizzle, which host and device compare.
    #[doc(hidden)]
    const LAYOUT: u64 = layout([Self::RANK, Self::LEN, Self::ROW, Self::SPAN, Self::UNIT]);
    /// The widths in bytes that a row of this shape can have, if its mode needs a swizzle; otherwise empty.
    #[doc(hidden)]
    const SWIZZLES: &'static [usize] = &[];
    /// Fails to compile if no tensor map can have a shape of these extents.
    #[doc(hidden)]
    const LIMITS: ();
    /// Where copies may begin, as only the map knows: a [`BoundingBox`] for columns; `()` for other shapes, which may begin
    /// anywhere.
    type Bounds: Copy + core::fmt::Debug;
}

/// Swizzles of a tensor map (PTX ISA 5.5.7): the last parameter of [`Box2`] and its siblings, and of [`Gather4`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a swizzle of a tensor map",
    label = "not `swizzle_mode::None`, `B32`, `B64`, `B96` or `B128`",
    note = "name a type of `qualifier::swizzle_mode`, or a pair of `swizzle_mode::B128` and a type of `qualifier::swizzle_atomicity`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait MapSwizzle: Sealed + Copy + core::fmt::Debug + 'static {
    /// The bytes within which the swizzle permutes, which are a row of the box; 0 without a swizzle.
    #[doc(hidden)]
    const SPAN: usize;
    /// The bytes that the swizzle keeps together; 8 for the flip of 8 bytes.
    #[doc(hidden)]
    const UNIT: usize;
    /// The only value of this type of swizzle.
    #[doc(hidden)]
    const VALUE: Self;
}

macro_rules! map_swizzles {
    ($( [$($tag:tt)+] $span:literal by $unit:literal; )*) => { $(
        #[diagnostic::do_not_recommend]
        impl MapSwizzle for $($tag)+ {
            const SPAN: usize = $span;
            const UNIT: usize = $unit;
            const VALUE: Self = $($tag)+;
        }
    )* };
}
map_swizzles! {
    [swizzle_mode::None] 0 by 16;
    [swizzle_mode::B32] 32 by 16;
    [swizzle_mode::B64] 64 by 16;
    [swizzle_mode::B96] 96 by 16;
    [swizzle_mode::B128] 128 by 16;
    [(swizzle_mode::B128, swizzle_atomicity::B16)] 128 by 16;
    [(swizzle_mode::B128, swizzle_atomicity::B32)] 128 by 32;
    [(swizzle_mode::B128, swizzle_atomicity::B32FlipB8)] 128 by 8;
    [(swizzle_mode::B128, swizzle_atomicity::B64)] 128 by 64;
}

const fn layout<const N: usize>(numbers: [usize; N]) -> u64 {
    let (mut words, mut i) = ([0; N], 0);
    while i < N {
        words[i] = numbers[i] as u64;
        i += 1;
    }
    crate::parameter::layout(&words)
}

/// Shapes of tensor copies that may begin anywhere, with no bounding box: all shapes except im2col columns.
#[diagnostic::on_unimplemented(
    message = "a map of `{Self}` has a bounding box, within which its columns must start",
    label = "columns without a bounding box",
    note = "call `from_raw_within(object, BoundingBox {{ first, last }})`, which says where columns may start; elsewhere a column would end the grid (PTX ISA 5.5.4.1)"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait UnboundedShape: Shape<Bounds = ()> {}

/// Shapes that a tensor copy (`cp.async.bulk.tensor`) can load into shared memory.
#[diagnostic::on_unimplemented(
    message = "a copy cannot load the shape `{Self}`",
    label = "not a shape of loads on this target",
    note = "loads take `Box1` to `Box5` and `Im2col3` to `Im2col5`; with the feature `sm_100` also `Gather4` and `Im2colW3` to `Im2colW5`, with `sm_100f` or `sm_110f` also `Im2colW128x3` to `Im2colW128x5`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait LoadShape: Shape {
    /// Where a copy reads: the coordinates, and the further operands of the mode.
    type At: Copy + core::fmt::Debug;
    /// Returns whether a load of this shape may begin at `at`: the innermost coordinate is a multiple of `unit`, a power of two,
    /// and the other coordinates are within `bounds`.
    #[doc(hidden)]
    fn reads(at: &Self::At, unit: i32, bounds: Self::Bounds) -> bool;
    /// Starts a load of this shape to `dst` (`cp.async.bulk.tensor`), whose bytes the mbarrier `mbar` counts.
    ///
    /// # Safety
    ///
    /// The clauses of `raw::cp_async_bulk_tensor_1d_global_tile` hold, in this rank and mode.
    #[doc(hidden)]
    unsafe fn load(dst: u32, map: *const u8, at: Self::At, mbar: u32, hint: impl raw::L2CacheHint);
}

/// Shapes that one tensor copy can load into the shared memory of several CTAs of a cluster (`.multicast::cluster`).
#[diagnostic::on_unimplemented(
    message = "a copy cannot multicast the shape `{Self}`",
    label = "not a shape of multicasts on this target",
    note = "multicasts take `Box1` to `Box5`, `Im2col3` to `Im2col5`, and, with the feature `sm_100f` or `sm_110f`, `Gather4` and `Im2colW3` to `Im2colW5`, `Im2colW128x3` to `Im2colW128x5`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait MulticastShape: LoadShape {
    /// Starts one load of this shape into the shared memory of each CTA in `mask` (`.multicast::cluster`).
    ///
    /// # Safety
    ///
    /// The clauses of `raw::cp_async_bulk_tensor_1d_global_tile` with `.multicast::cluster` hold, in this rank and mode.
    #[doc(hidden)]
    unsafe fn multicast(
        dst: u32,
        map: *const u8,
        at: Self::At,
        mbar: u32,
        mask: CtaMask,
        hint: impl raw::L2CacheHint,
    );
}

/// Shapes of a tensor that can be prefetched into the L2 cache (`cp.async.bulk.prefetch.tensor`).
#[diagnostic::on_unimplemented(
    message = "the shape `{Self}` cannot be prefetched",
    label = "not a shape of prefetches on this target",
    note = "prefetches take `Box1` to `Box5`, `Im2col3` to `Im2col5`, and, with the feature `sm_100f` or `sm_110f`, `Gather4` and `Im2colW3` to `Im2colW5`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait PrefetchShape: LoadShape {
    /// Starts a prefetch of this shape into the L2 cache (`cp.async.bulk.prefetch.tensor`).
    ///
    /// # Safety
    ///
    /// The clauses of `raw::cp_async_bulk_prefetch_tensor_1d_global_tile` hold, in this rank and mode.
    #[doc(hidden)]
    unsafe fn prefetch(map: *const u8, at: Self::At, hint: impl raw::L2CacheHint);
}

/// Shapes that a tensor copy (`cp.async.bulk.tensor`) can store from shared memory.
#[diagnostic::on_unimplemented(
    message = "a copy cannot store the shape `{Self}`",
    label = "not a shape of stores on this target",
    note = "stores take `Box1` to `Box5`, `Im2col3` to `Im2col5`, and, with the feature `sm_100f` or `sm_110f`, `Scatter4`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait StoreShape: Shape {
    /// Where a copy writes: the coordinates.
    type TensorCoords: Copy + core::fmt::Debug + AsRef<[i32]>;
    /// Returns whether a store of this shape, whose column is within the bounding box, may begin at `coords`: the innermost
    /// coordinate is a multiple of `unit`, a power of two, and no coordinate is negative. 9.7.9.25.5.1, of this direction:
    /// "Starting co-ordinates for Bounding Box (`tensorCoords`) must be non-negative."
    #[doc(hidden)]
    fn writes(coords: &Self::TensorCoords, unit: i32) -> bool;
    /// The number of boxes in each dimension; `()` for a shape that is not a box.
    type Boxes: Copy + core::fmt::Debug;
    /// Starts a store of this shape from `src` (`cp.async.bulk.tensor`), in the thread's bulk async-group.
    ///
    /// # Safety
    ///
    /// The clauses of `raw::cp_async_bulk_tensor_1d_global_shared_cta` hold, in this rank and mode.
    #[doc(hidden)]
    unsafe fn store(map: *const u8, coords: Self::TensorCoords, src: u32, hint: impl raw::L2CacheHint);
}

/// Shapes that a copy can reduce from shared memory into a tensor (`cp.reduce.async.bulk.tensor`).
#[diagnostic::on_unimplemented(
    message = "a copy cannot reduce the shape `{Self}` into a tensor",
    label = "not a shape of reductions",
    note = "reductions take `Box1` to `Box5` and `Im2col3` to `Im2col5`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait ReduceShape: StoreShape {
    /// Returns whether `coords`, where a store or a reduction begins, is within `bounds`, an im2col map's bounding box.
    #[doc(hidden)]
    fn is_within(coords: &Self::TensorCoords, bounds: Self::Bounds) -> bool;
    /// Starts a reduction of this shape from `src` (`cp.reduce.async.bulk.tensor`), in the thread's bulk async-group.
    ///
    /// # Safety
    ///
    /// The clauses of `raw::cp_reduce_async_bulk_tensor_1d_global_shared_cta` hold, in this rank and mode.
    #[doc(hidden)]
    unsafe fn reduce(
        op: impl raw::TensorRedOp,
        map: *const u8,
        coords: Self::TensorCoords,
        src: u32,
        hint: impl raw::L2CacheHint,
    );
}

/// Shapes of tensor maps whose fields `tensormap.replace` can replace.
#[diagnostic::on_unimplemented(
    message = "a tensor map cannot be changed into a map of `{Self}`",
    label = "not a shape of the mode `.tile`",
    note = "`tensormap.replace` has the mode `.tile` alone: retype the map to `Box1` to `Box5`, or to `Gather4` (PTX ISA 9.7.9.28)"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait TiledShape: LoadShape<Bounds = ()> {
    /// The size of the tensor map's box in each dimension (`boxDim`).
    #[doc(hidden)]
    const BOX: &'static [u32];
    /// The same shape with another swizzle.
    #[doc(hidden)]
    type With<M: MapSwizzle>: TiledShape;
}

/// Shapes that are boxes, [`Box1`] to [`Box5`], into which a tensor can be divided.
#[diagnostic::on_unimplemented(
    message = "a tensor cannot be divided into `{Self}`",
    label = "not a box",
    note = "the boxes are `Box1` to `Box5`; for other shapes, make a tile with `TensorMapMut::at`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait BoxShape: LoadShape + StoreShape {
    /// The number of boxes of a tensor, given their number in each dimension, `boxes`.
    #[doc(hidden)]
    fn count(boxes: Self::Boxes) -> u32;
    /// The index in each dimension of a tensor's box `i`, counted with the innermost dimension fastest.
    ///
    /// # Safety
    ///
    /// `i` is less than `count`, which is at most 2^31.
    #[doc(hidden)]
    unsafe fn index(boxes: Self::Boxes, i: u32) -> Self::At;
    /// The coordinates of the first element of the box at `index`. For any index, the innermost coordinate is a multiple of 16
    /// bytes, as rows are, and coordinates wrap around at 2^32.
    #[doc(hidden)]
    fn coords(index: Self::At) -> Self::TensorCoords;
    /// The coordinates of a load that begins at `coords`.
    #[doc(hidden)]
    fn at(coords: Self::TensorCoords) -> Self::At;
}

/// The pixels at which a column may start, along each of W, H and D that the tensor has: the bounding box of an im2col tensor
/// map, both corners included (PTX ISA 5.5.4.1).
///
/// The host encodes the box as `pixelBoxLowerCorner` and `pixelBoxUpperCorner`. The first pixel is the lower corner; the last
/// pixel is the last pixel of the tensor, moved by the upper corner. A column that starts elsewhere ends the grid on an H200,
/// with an illegal instruction.
///
/// ```
/// # use ptx::tensor::{BoundingBox, Im2col4, TensorMap, TensorMapObject};
/// # unsafe fn kernel(object: *const TensorMapObject, width: i32, height: i32) {
/// // A filter of 3 by 3 on an image with a margin of 1: corners of (-1, -1) and (-1, -1).
/// let starts = BoundingBox { first: [-1, -1], last: [width - 2, height - 2] };
/// // SAFETY: the host encodes such a map of `f32`, with columns of 128 pixels of 64 channels.
/// let map = unsafe { TensorMap::<f32, Im2col4<64, 128>>::from_raw_within(object, starts) };
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct BoundingBox<const DIMS: usize> {
    /// The first pixel, the lower corner of the box: W, then H, then D.
    pub first: [i32; DIMS],
    /// The last pixel, the upper corner of the box.
    pub last: [i32; DIMS],
}

impl<const DIMS: usize> BoundingBox<DIMS> {
    /// Returns whether a column may start at `coords`, channels first and images last. With `left_of_it`, as for `.im2col::w`
    /// (PTX ISA 5.5.5.1), the column may start to the left of the box along W.
    #[inline(always)]
    fn holds(self, coords: &[i32], left_of_it: bool) -> bool {
        let mut inside = true;
        let mut d = 0;
        while d < DIMS {
            let from_first = (coords[1 + d] >= self.first[d]) | (d == 0 && left_of_it);
            inside &= from_first & (coords[1 + d] <= self.last[d]);
            d += 1;
        }
        inside
    }
}

// Computing all of these few cheap checks takes less time than a branch for each.

/// Returns whether the innermost coordinate is a multiple of `unit`, a power of two.
#[inline(always)]
const fn is_aligned(coords: &[i32], unit: i32) -> bool {
    coords[0] & (unit - 1) == 0
}

/// Returns whether no coordinate is negative.
#[inline(always)]
const fn is_non_negative<const COORDS: usize>(coords: &[i32; COORDS]) -> bool {
    let (mut signs, mut i) = (0, 0);
    while i < COORDS {
        signs |= coords[i];
        i += 1;
    }
    signs >= 0
}

/// A number below 32: an offset of [`Im2col5`] (PTX ISA 5.5.4.1), or the `wOffset` of [`Im2colW3`] and its siblings
/// (9.7.9.25.5.2).
#[derive(Clone, Copy, Debug)]
pub struct Im2colOffset(u16);

impl Im2colOffset {
    /// Makes an `Im2colOffset` of `offset`; returns `None` if `offset` is 32 or more.
    #[inline(always)]
    pub const fn new(offset: u16) -> Option<Self> {
        if offset < 32 { Some(Im2colOffset(offset)) } else { None }
    }
}

const fn limits<const RANK: usize>(dims: [usize; RANK]) {
    let mut i = 0;
    while i < RANK {
        assert!(
            dims[i] >= 1 && dims[i] <= 256,
            "a box must have 1 to 256 elements in each dimension: choose a size in this range (`boxDim` of `cuTensorMapEncodeTiled`, PTX ISA 5.5.3.1)"
        );
        i += 1;
    }
}

const fn column_limits(channels: usize, pixels: usize) {
    assert!(
        channels >= 1 && channels <= 256 && pixels >= 1 && pixels <= 1024,
        "a column must have 1 to 1024 pixels of 1 to 256 channels: choose `PIXELS` and `CHANNELS` in these ranges (`pixelsPerColumn`, `channelsPerPixel` of `cuTensorMapEncodeIm2col`, PTX ISA 5.5.4.1)"
    );
}

const fn halo_limit(halo: usize, limit: usize) {
    assert!(
        halo < limit,
        "a halo must have fewer than 512 pixels with `.im2col::w`, fewer than 32 with `.im2col::w::128`: choose a smaller `HALO` (PTX ISA 9.7.9.25.5.2)"
    );
}

/// Limits and length of `.im2col::w`. 5.5.5.3, of the halo: "how many filter halo elements must be loaded at the end of the
/// image".
mod w {
    pub(super) const HALO_LIMIT: usize = 512;
    /// The swizzles of `cuTensorMapEncodeIm2colWide`; 96 bytes under the restrictions of 9.7.9.25.5.1.
    pub(super) const SWIZZLES: &[usize] = if cfg!(swizzle_b96) { &[32, 64, 96, 128] } else { &[32, 64, 128] };
    pub(super) const fn pixels(pixels: usize, halo: usize) -> usize {
        crate::size::sum(pixels, halo)
    }
}

/// Limits and length of `.im2col::w::128`. 5.5.5.3, of the halo: "how many halo elements must be loaded after every 32 elements"
/// of the 128.
mod w_128 {
    pub(super) const HALO_LIMIT: usize = 32;
    /// 9.7.9.25.5.1, of 96 bytes: "The `.load_mode` must not be set to `.im2col::w::128`."
    pub(super) const SWIZZLES: &[usize] = &[32, 64, 128];
    pub(super) const fn pixels(pixels: usize, halo: usize) -> usize {
        crate::size::product([pixels / 32, crate::size::sum(32, halo)])
    }
}

// With `do_not_recommend` on `LoadShape`, `StoreShape` and `ReduceShape`, rustc would not name the bound on `M`.
/// The box types: each with its dimensions, its rank and its instructions.
macro_rules! boxes {
    ($( $(#[$doc:meta])* $Box:ident<$($D:ident),+> $rank:literal: $load:ident $prefetch:ident $store:ident
        $reduce:ident; )*) => { $(
        $(#[$doc])*
        ///
        /// `M` is the swizzle of the map, whose span is a row of the box: `swizzle_mode::B128` for rows of 128 bytes.
        #[derive(Debug)]
        pub struct $Box<$(const $D: usize,)+ M: MapSwizzle = swizzle_mode::None>(PhantomData<M>);

        impl<$(const $D: usize,)+ M: MapSwizzle> $Box<$($D,)+ M> {
            /// The number of elements of the box: the length of its array in shared memory.
            pub const LEN: usize = size::product(Self::DIMS);
            /// The swizzle of the tensor map as a value, for [`View2d::swizzled`](crate::shared::View2d::swizzled) and
            /// [`Shared::swizzle_index`](crate::shared::Shared::swizzle_index).
            pub const SWIZZLE: M = M::VALUE;
            const DIMS: [usize; $rank] = [$($D),+];
        }
        #[diagnostic::do_not_recommend]
        impl<$(const $D: usize,)+ M: MapSwizzle> Sealed for $Box<$($D,)+ M> {}
        #[diagnostic::do_not_recommend]
        impl<$(const $D: usize,)+ M: MapSwizzle> Shape for $Box<$($D,)+ M> {
            const RANK: usize = $rank;
            const LEN: usize = Self::LEN;
            const ROW: usize = Self::DIMS[0];
            const SPAN: usize = M::SPAN;
            const UNIT: usize = M::UNIT;
            const LAYOUT: u64 = layout([$($D,)+ M::SPAN, M::UNIT]);
            const LIMITS: () = limits(Self::DIMS);
            type Bounds = ();
        }
        #[diagnostic::do_not_recommend]
        impl<$(const $D: usize,)+ M: MapSwizzle> UnboundedShape for $Box<$($D,)+ M> {}
        impl<$(const $D: usize,)+ M: MapSwizzle> LoadShape for $Box<$($D,)+ M> {
            type At = [i32; $rank];
            #[inline(always)]
            fn reads(at: &Self::At, unit: i32, (): ()) -> bool {
                is_aligned(at, unit)
            }
            #[inline(always)]
            unsafe fn load(dst: u32, map: *const u8, at: Self::At, mbar: u32, hint: impl raw::L2CacheHint) {
                // SAFETY: the caller keeps the clauses of the instruction (`# Safety`).
                unsafe {
                    raw::$load(space::SharedCta, cta_group::None, dst, map, at, mbar, multicast::None, hint)
                }
            }
        }
        #[diagnostic::do_not_recommend]
        impl<$(const $D: usize,)+ M: MapSwizzle> MulticastShape for $Box<$($D,)+ M> {
            #[inline(always)]
            unsafe fn multicast(
                dst: u32,
                map: *const u8,
                at: Self::At,
                mbar: u32,
                mask: CtaMask,
                hint: impl raw::L2CacheHint,
            ) {
                // SAFETY: the caller keeps the clauses of the instruction (`# Safety`).
                unsafe {
                    raw::$load(space::SharedCluster, cta_group::None, dst, map, at, mbar, multicast::Cluster(mask), hint)
                }
            }
        }
        #[diagnostic::do_not_recommend]
        impl<$(const $D: usize,)+ M: MapSwizzle> PrefetchShape for $Box<$($D,)+ M> {
            #[inline(always)]
            unsafe fn prefetch(map: *const u8, at: Self::At, hint: impl raw::L2CacheHint) {
                // SAFETY: the caller keeps the clauses of the instruction (`# Safety`).
                unsafe { raw::$prefetch(map, at, hint) }
            }
        }
        impl<$(const $D: usize,)+ M: MapSwizzle> StoreShape for $Box<$($D,)+ M> {
            type TensorCoords = [i32; $rank];
            type Boxes = [u32; $rank];
            #[inline(always)]
            fn writes(coords: &Self::TensorCoords, unit: i32) -> bool {
                is_aligned(coords, unit) & is_non_negative(coords)
            }
            #[inline(always)]
            unsafe fn store(map: *const u8, coords: Self::TensorCoords, src: u32, hint: impl raw::L2CacheHint) {
                // SAFETY: the caller keeps the clauses of the instruction (`# Safety`).
                unsafe { raw::$store(load_mode::Tile, map, coords, src, hint) }
            }
        }
        impl<$(const $D: usize,)+ M: MapSwizzle> ReduceShape for $Box<$($D,)+ M> {
            #[inline(always)]
            fn is_within(_corner: &Self::TensorCoords, (): ()) -> bool {
                true
            }
            #[inline(always)]
            unsafe fn reduce(
                op: impl raw::TensorRedOp,
                map: *const u8,
                coords: Self::TensorCoords,
                src: u32,
                hint: impl raw::L2CacheHint,
            ) {
                // SAFETY: the caller keeps the clauses of the instruction (`# Safety`).
                unsafe { raw::$reduce(op, load_mode::Tile, map, coords, src, hint) }
            }
        }
        #[diagnostic::do_not_recommend]
        impl<$(const $D: usize,)+ M: MapSwizzle> TiledShape for $Box<$($D,)+ M> {
            const BOX: &'static [u32] = &[$(size::narrow($D)),+];
            type With<To: MapSwizzle> = $Box<$($D,)+ To>;
        }
        #[diagnostic::do_not_recommend]
        impl<$(const $D: usize,)+ M: MapSwizzle> BoxShape for $Box<$($D,)+ M> {
            #[inline(always)]
            fn count(boxes: Self::Boxes) -> u32 {
                boxes.into_iter().fold(1, u32::wrapping_mul)
            }
            #[inline(always)]
            unsafe fn index(boxes: Self::Boxes, i: u32) -> Self::At {
                // SAFETY: the caller passes an `i` below the number of boxes (`# Safety`).
                unsafe { nth(boxes, i) }.map(u32::cast_signed)
            }
            #[inline(always)]
            fn coords(index: Self::At) -> Self::TensorCoords {
                core::array::from_fn(|d| index[d].wrapping_mul(Self::DIMS[d] as i32))
            }
            #[inline(always)]
            fn at(coords: Self::TensorCoords) -> Self::At {
                coords
            }
        }
    )* };
}

/// The index of box `i` of `boxes` in each dimension, counted with the innermost dimension fastest.
///
/// # Safety
///
/// `i` is less than the product of `boxes`.
#[inline(always)]
unsafe fn nth<const RANK: usize>(boxes: [u32; RANK], i: u32) -> [u32; RANK] {
    let mut rest = i;
    core::array::from_fn(|d| {
        if d + 1 == RANK {
            return rest;
        }
        // SAFETY: `i` is less than the product of `boxes` (`# Safety`), so no factor is 0.
        unsafe { core::hint::assert_unchecked(boxes[d] != 0) };
        let index = rest % boxes[d];
        rest /= boxes[d];
        index
    })
}

boxes! {
    /// The extent of a box of a one-dimensional tensor: `D0` contiguous elements (`.tile`).
    Box1<D0> 1: cp_async_bulk_tensor_1d_global_tile
        cp_async_bulk_prefetch_tensor_1d_global_tile
        cp_async_bulk_tensor_1d_global_shared_cta
        cp_reduce_async_bulk_tensor_1d_global_shared_cta;
    #[doc(alias = "cuTensorMapEncodeTiled")]
    /// The extents of a box of a two-dimensional tensor: `D1` rows of `D0` contiguous elements (`.tile`).
    ///
    /// ```
    /// # use ptx::tensor::{Box2, TensorMap};
    /// use ptx::shared::SharedArray;
    /// type Tile = SharedArray<f32, { Box2::<64, 32>::LEN }>; // 2048 elements
    /// # fn kernel(map: TensorMap<f32, Box2<64, 32>>) {
    /// let tile = map.box_at([2, 1]); // from column 128 and row 32 on
    /// # }
    /// ```
    Box2<D0, D1> 2: cp_async_bulk_tensor_2d_global_tile
        cp_async_bulk_prefetch_tensor_2d_global_tile
        cp_async_bulk_tensor_2d_global_shared_cta
        cp_reduce_async_bulk_tensor_2d_global_shared_cta;
    /// The extents of a box of a three-dimensional tensor, the innermost dimension first (`.tile`).
    Box3<D0, D1, D2> 3: cp_async_bulk_tensor_3d_global_tile
        cp_async_bulk_prefetch_tensor_3d_global_tile
        cp_async_bulk_tensor_3d_global_shared_cta
        cp_reduce_async_bulk_tensor_3d_global_shared_cta;
    /// The extents of a box of a four-dimensional tensor, the innermost dimension first (`.tile`).
    Box4<D0, D1, D2, D3> 4: cp_async_bulk_tensor_4d_global_tile
        cp_async_bulk_prefetch_tensor_4d_global_tile
        cp_async_bulk_tensor_4d_global_shared_cta
        cp_reduce_async_bulk_tensor_4d_global_shared_cta;
    /// The extents of a box of a five-dimensional tensor, the innermost dimension first (`.tile`).
    Box5<D0, D1, D2, D3, D4> 5: cp_async_bulk_tensor_5d_global_tile
        cp_async_bulk_prefetch_tensor_5d_global_tile
        cp_async_bulk_tensor_5d_global_shared_cta
        cp_reduce_async_bulk_tensor_5d_global_shared_cta;
}

/// The column types: each with its rank, the offsets of a load, their conversion to 16 bits, and its instructions.
macro_rules! im2col {
    ($( $(#[$doc:meta])* $Im2col:ident $rank:literal [$Offset:ty; $n:literal] |$offset:ident| $info:expr;
        $load:ident
        $prefetch:ident
        $store:ident $reduce:ident; )*) => { $(
        $(#[$doc])*
        #[derive(Debug)]
        pub enum $Im2col<const CHANNELS: usize, const PIXELS: usize> {}

        impl<const CHANNELS: usize, const PIXELS: usize> $Im2col<CHANNELS, PIXELS> {
            /// The number of elements of a column (`channelsPerPixel` times `pixelsPerColumn`): the length of its array in shared
            /// memory.
            pub const LEN: usize = size::product([CHANNELS, PIXELS]);
        }
        #[diagnostic::do_not_recommend]
        impl<const CHANNELS: usize, const PIXELS: usize> Sealed for $Im2col<CHANNELS, PIXELS> {}
        #[diagnostic::do_not_recommend]
        impl<const CHANNELS: usize, const PIXELS: usize> Shape for $Im2col<CHANNELS, PIXELS> {
            const RANK: usize = $rank;
            const LEN: usize = Self::LEN;
            const ROW: usize = CHANNELS;
            const LIMITS: () = column_limits(CHANNELS, PIXELS);
            type Bounds = BoundingBox<{ $rank - 2 }>;
        }
        #[diagnostic::do_not_recommend]
        impl<const CHANNELS: usize, const PIXELS: usize> LoadShape for $Im2col<CHANNELS, PIXELS> {
            type At = ([i32; $rank], [$Offset; $n]);
            #[inline(always)]
            fn reads(at: &Self::At, unit: i32, bounds: Self::Bounds) -> bool {
                is_aligned(&at.0, unit) & bounds.holds(&at.0, false)
            }
            #[inline(always)]
            unsafe fn load(dst: u32, map: *const u8, at: Self::At, mbar: u32, hint: impl raw::L2CacheHint) {
                let (at, info) = (at.0, at.1.map(|$offset| $info));
                // SAFETY: the caller keeps the clauses of the instruction (`# Safety`); the type of the offsets bounds them.
                unsafe {
                    raw::$load(space::SharedCta, cta_group::None, dst, map, at, mbar, info, multicast::None, hint)
                }
            }
        }
        #[diagnostic::do_not_recommend]
        impl<const CHANNELS: usize, const PIXELS: usize> MulticastShape for $Im2col<CHANNELS, PIXELS> {
            #[inline(always)]
            unsafe fn multicast(
                dst: u32,
                map: *const u8,
                at: Self::At,
                mbar: u32,
                mask: CtaMask,
                hint: impl raw::L2CacheHint,
            ) {
                let (at, info) = (at.0, at.1.map(|$offset| $info));
                // SAFETY: the caller keeps the clauses of the instruction (`# Safety`); the type of the offsets bounds them.
                unsafe {
                    raw::$load(space::SharedCluster, cta_group::None, dst, map, at, mbar, info, multicast::Cluster(mask), hint)
                }
            }
        }
        #[diagnostic::do_not_recommend]
        impl<const CHANNELS: usize, const PIXELS: usize> PrefetchShape for $Im2col<CHANNELS, PIXELS> {
            #[inline(always)]
            unsafe fn prefetch(map: *const u8, at: Self::At, hint: impl raw::L2CacheHint) {
                let (at, info) = (at.0, at.1.map(|$offset| $info));
                // SAFETY: the caller keeps the clauses of the instruction (`# Safety`); the type of the offsets bounds them.
                unsafe { raw::$prefetch(map, at, info, hint) }
            }
        }
        #[diagnostic::do_not_recommend]
        impl<const CHANNELS: usize, const PIXELS: usize> StoreShape for $Im2col<CHANNELS, PIXELS> {
            type TensorCoords = [i32; $rank];
            type Boxes = ();
            #[inline(always)]
            fn writes(coords: &Self::TensorCoords, unit: i32) -> bool {
                is_aligned(coords, unit) & is_non_negative(coords)
            }
            #[inline(always)]
            unsafe fn store(map: *const u8, coords: Self::TensorCoords, src: u32, hint: impl raw::L2CacheHint) {
                let mode = load_mode::Im2colNoOffs;
                // SAFETY: the caller keeps the clauses of the instruction (`# Safety`).
                unsafe { raw::$store(mode, map, coords, src, hint) }
            }
        }
        #[diagnostic::do_not_recommend]
        impl<const CHANNELS: usize, const PIXELS: usize> ReduceShape for $Im2col<CHANNELS, PIXELS> {
            #[inline(always)]
            fn is_within(coords: &Self::TensorCoords, bounds: Self::Bounds) -> bool {
                bounds.holds(coords, false)
            }
            #[inline(always)]
            unsafe fn reduce(
                op: impl raw::TensorRedOp,
                map: *const u8,
                coords: Self::TensorCoords,
                src: u32,
                hint: impl raw::L2CacheHint,
            ) {
                let mode = load_mode::Im2colNoOffs;
                // SAFETY: the caller keeps the clauses of the instruction (`# Safety`).
                unsafe { raw::$reduce(op, mode, map, coords, src, hint) }
            }
        }
    )* };
}

im2col! {
    /// The shape of an im2col column: `PIXELS` pixels with `CHANNELS` channels, of a tensor C, W, N. A load uses `.im2col`; it
    /// takes the coordinates and the 16-bit offset along W (PTX ISA 5.5.4.1). A store or a reduction uses `.im2col_no_offs`.
    Im2col3 3 [u16; 1] |offset| offset;
        cp_async_bulk_tensor_3d_global_im2col
        cp_async_bulk_prefetch_tensor_3d_global_im2col
        cp_async_bulk_tensor_3d_global_shared_cta
        cp_reduce_async_bulk_tensor_3d_global_shared_cta;
    #[doc(alias = "cuTensorMapEncodeIm2col")]
    /// The shape of an im2col column: `PIXELS` pixels with `CHANNELS` channels, of a tensor C, W, H, N. A load uses `.im2col`; it
    /// takes the coordinates and the 8-bit offsets along W and H (PTX ISA 5.5.4.1). A store or a reduction uses
    /// `.im2col_no_offs`.
    ///
    /// ```
    /// # use ptx::tensor::{Im2col4, TensorMap};
    /// # fn kernel(map: TensorMap<f32, Im2col4<64, 128>>) {
    /// // The tap (2, 1) of a 3 by 3 filter: 128 pixels of the first image, from (-1, -1) on, moved by (2, 1).
    /// let column = map.at(([0, -1, -1, 0], [2, 1]));
    /// # }
    /// ```
    Im2col4 4 [u8; 2] |offset| offset as u16;
        cp_async_bulk_tensor_4d_global_im2col
        cp_async_bulk_prefetch_tensor_4d_global_im2col
        cp_async_bulk_tensor_4d_global_shared_cta
        cp_reduce_async_bulk_tensor_4d_global_shared_cta;
    /// The shape of an im2col column: `PIXELS` pixels with `CHANNELS` channels, of a tensor C, W, H, D, N. A load uses `.im2col`;
    /// it takes the coordinates and the 5-bit offsets along W, H and D, as [`Im2colOffset`] (PTX ISA 5.5.4.1). A store or a
    /// reduction uses `.im2col_no_offs`.
    Im2col5 5 [Im2colOffset; 3] |offset| offset.0;
        cp_async_bulk_tensor_5d_global_im2col
        cp_async_bulk_prefetch_tensor_5d_global_im2col
        cp_async_bulk_tensor_5d_global_shared_cta
        cp_reduce_async_bulk_tensor_5d_global_shared_cta;
}

/// The types of columns along W: each with its parameters, rank, mode, module of limits, channels, pixels, and instructions.
macro_rules! im2col_w {
    ($( #[$gate:meta] $(#[$doc:meta])* $Im2col:ident<$($P:ident),+> $rank:literal $mode:ident $limits:ident $channels:expr, $pixels:expr;
        $load:ident
        $prefetch:ident; )*) => { $(
        $(#[$doc])*
        #[derive(Debug)]
        pub enum $Im2col<$(const $P: usize,)+ const HALO: usize = 0> {}

        impl<$(const $P: usize,)+ const HALO: usize> $Im2col<$($P,)+ HALO> {
            /// The length of the array in shared memory for a copy of this shape: the elements of the column's pixels and of its
            /// halo (`wHalo` of `.im2col::w`), with all channels of the box.
            pub const LEN: usize = size::product([$channels, $limits::pixels($pixels, HALO)]);
        }
        #[diagnostic::do_not_recommend]
        impl<$(const $P: usize,)+ const HALO: usize> Sealed for $Im2col<$($P,)+ HALO> {}
        #[diagnostic::do_not_recommend]
        impl<$(const $P: usize,)+ const HALO: usize> Shape for $Im2col<$($P,)+ HALO> {
            const RANK: usize = $rank;
            const LEN: usize = Self::LEN;
            const ROW: usize = $channels;
            const SWIZZLES: &'static [usize] = $limits::SWIZZLES;
            const LIMITS: () = {
                column_limits($channels, $pixels);
                halo_limit(HALO, $limits::HALO_LIMIT);
            };
            type Bounds = BoundingBox<{ $rank - 2 }>;
        }
        #[$gate]
        #[diagnostic::do_not_recommend]
        impl<$(const $P: usize,)+ const HALO: usize> LoadShape for $Im2col<$($P,)+ HALO> {
            type At = ([i32; $rank], Im2colOffset);
            #[inline(always)]
            fn reads(at: &Self::At, unit: i32, bounds: Self::Bounds) -> bool {
                is_aligned(&at.0, unit) & bounds.holds(&at.0, true)
            }
            #[inline(always)]
            unsafe fn load(dst: u32, map: *const u8, at: Self::At, mbar: u32, hint: impl raw::L2CacheHint) {
                let (at, info, mode) = (at.0, [HALO as u16, at.1.0], load_mode::$mode);
                // SAFETY: the caller keeps the clauses of the instruction (`# Safety`); `LIMITS` bounds the halo, its type the
                // offset.
                unsafe {
                    raw::$load(space::SharedCta, mode, cta_group::None, dst, map, at, mbar, info, multicast::None, hint)
                }
            }
        }
        #[cfg(tensor_modes)]
        #[diagnostic::do_not_recommend]
        impl<$(const $P: usize,)+ const HALO: usize> MulticastShape for $Im2col<$($P,)+ HALO> {
            #[inline(always)]
            unsafe fn multicast(
                dst: u32,
                map: *const u8,
                at: Self::At,
                mbar: u32,
                mask: CtaMask,
                hint: impl raw::L2CacheHint,
            ) {
                let (at, info, mode) = (at.0, [HALO as u16, at.1.0], load_mode::$mode);
                // SAFETY: the caller keeps the clauses of the instruction (`# Safety`); `LIMITS` bounds the halo, its type the
                // offset.
                unsafe {
                    raw::$load(space::SharedCluster, mode, cta_group::None, dst, map, at, mbar, info, multicast::Cluster(mask), hint)
                }
            }
        }
        #[cfg(tensor_modes)]
        #[diagnostic::do_not_recommend]
        impl<$(const $P: usize,)+ const HALO: usize> PrefetchShape for $Im2col<$($P,)+ HALO> {
            #[inline(always)]
            unsafe fn prefetch(map: *const u8, at: Self::At, hint: impl raw::L2CacheHint) {
                let (at, info, mode) = (at.0, [HALO as u16, at.1.0], load_mode::$mode);
                // SAFETY: the caller keeps the clauses of the instruction (`# Safety`); `LIMITS` bounds the halo, its type the
                // offset.
                unsafe { raw::$prefetch(mode, map, at, info, hint) }
            }
        }
    )* };
}

im2col_w! {
    #[cfg(sm_100)]
    /// The shape of a column of pixels along W of a tensor C, W, N, with a halo after the column (`.im2col::w`). The column has
    /// `PIXELS` pixels and the halo `HALO` pixels, fewer than 512, of `CHANNELS` channels each. A load takes the coordinates and
    /// `wOffset`. A row is as wide as the swizzle of the map: 32, 64 or 128 bytes, with the feature `sm_103a` also 96. The shape
    /// needs the feature `sm_100`.
    ///
    /// ```
    /// # use ptx::tensor::{Im2colW3, Im2colOffset, TensorMap};
    /// // For a filter of width 3: 256 pixels and a halo of two.
    /// const ELEMENTS: usize = Im2colW3::<32, 256, 2>::LEN; // 32 * (256 + 2)
    /// # #[cfg(feature = "sm_100a")]
    /// # fn kernel(map: TensorMap<f32, Im2colW3<32, 256, 2>>) {
    /// let Some(offset) = Im2colOffset::new(1) else { return };
    /// let column = map.at(([0, 64, 0], offset)); // from W = 64 on
    /// # }
    /// ```
    Im2colW3<CHANNELS, PIXELS> 3 Im2colW w CHANNELS, PIXELS;
        cp_async_bulk_tensor_3d_global_im2col_w
        cp_async_bulk_prefetch_tensor_3d_global_im2col_w;
    #[cfg(sm_100)]
    #[doc(alias = "cuTensorMapEncodeIm2colWide")]
    /// The shape of a column of pixels along W of a tensor C, W, H, N, with a halo after the column (`.im2col::w`), as
    /// [`Im2colW3`].
    Im2colW4<CHANNELS, PIXELS> 4 Im2colW w CHANNELS, PIXELS;
        cp_async_bulk_tensor_4d_global_im2col_w
        cp_async_bulk_prefetch_tensor_4d_global_im2col_w;
    #[cfg(sm_100)]
    /// The shape of a column of pixels along W of a tensor C, W, H, D, N, with a halo after the column (`.im2col::w`), as
    /// [`Im2colW3`].
    Im2colW5<CHANNELS, PIXELS> 5 Im2colW w CHANNELS, PIXELS;
        cp_async_bulk_tensor_5d_global_im2col_w
        cp_async_bulk_prefetch_tensor_5d_global_im2col_w;
    #[cfg(tensor_modes)]
    /// The shape of a column of 128 pixels along W of a tensor C, W, N, with a halo after each 32 pixels (`.im2col::w::128`).
    /// Each halo has `HALO` pixels, fewer than 32, so the column has `CHANNELS * 4 * (32 + HALO)` elements. A load takes the
    /// coordinates and `wOffset`, as with [`Im2colW3`]. A row is as wide as the swizzle of the map: 32, 64 or 128 bytes. The
    /// shape needs the feature `sm_100f` or `sm_110f`.
    Im2colW128x3<CHANNELS> 3 Im2colW128 w_128 CHANNELS, 128;
        cp_async_bulk_tensor_3d_global_im2col_w
        cp_async_bulk_prefetch_tensor_3d_global_im2col_w;
    #[cfg(tensor_modes)]
    /// The shape of a column of 128 pixels along W of a tensor C, W, H, N, with halos (`.im2col::w::128`), as [`Im2colW128x3`].
    Im2colW128x4<CHANNELS> 4 Im2colW128 w_128 CHANNELS, 128;
        cp_async_bulk_tensor_4d_global_im2col_w
        cp_async_bulk_prefetch_tensor_4d_global_im2col_w;
    #[cfg(tensor_modes)]
    /// The shape of a column of 128 pixels along W of a tensor C, W, H, D, N, with halos (`.im2col::w::128`), as
    /// [`Im2colW128x3`].
    Im2colW128x5<CHANNELS> 5 Im2colW128 w_128 CHANNELS, 128;
        cp_async_bulk_tensor_5d_global_im2col_w
        cp_async_bulk_prefetch_tensor_5d_global_im2col_w;
}

/// The shape of a gather: four rows of `WIDTH` elements from anywhere in a tensor of two dimensions (`.tile::gather4`), whose map
/// has boxes of `WIDTH` by 1. A load takes the column and the four rows: `map.at([128, 7, 3, 90, 3])` is the rows 7, 3, 90 and 3
/// from column 128 on. The shape needs the feature `sm_100`.
///
/// `M` is the swizzle of the map, whose span is a row: `swizzle_mode::B128` for rows of 128 bytes.
#[derive(Debug)]
pub struct Gather4<const WIDTH: usize, M: MapSwizzle = swizzle_mode::None>(PhantomData<M>);

impl<const WIDTH: usize, M: MapSwizzle> Gather4<WIDTH, M> {
    /// The number of elements of the four rows: the length of their array in shared memory.
    pub const LEN: usize = size::product([4, WIDTH]);
    /// The swizzle of the tensor map as a value, for [`View2d::swizzled`](crate::shared::View2d::swizzled) and
    /// [`Shared::swizzle_index`](crate::shared::Shared::swizzle_index).
    pub const SWIZZLE: M = M::VALUE;
}
#[diagnostic::do_not_recommend]
impl<const WIDTH: usize, M: MapSwizzle> Sealed for Gather4<WIDTH, M> {}
#[diagnostic::do_not_recommend]
impl<const WIDTH: usize, M: MapSwizzle> UnboundedShape for Gather4<WIDTH, M> {}
#[diagnostic::do_not_recommend]
impl<const WIDTH: usize, M: MapSwizzle> Shape for Gather4<WIDTH, M> {
    const RANK: usize = 2;
    const LEN: usize = Self::LEN;
    const ROW: usize = WIDTH;
    const SPAN: usize = M::SPAN;
    const UNIT: usize = M::UNIT;
    const LIMITS: () = limits([WIDTH, 1]);
    type Bounds = ();
}
#[cfg(sm_100)]
#[diagnostic::do_not_recommend]
impl<const WIDTH: usize, M: MapSwizzle> LoadShape for Gather4<WIDTH, M> {
    type At = [i32; 5];
    #[inline(always)]
    fn reads(at: &Self::At, unit: i32, (): ()) -> bool {
        is_aligned(at, unit)
    }
    #[inline(always)]
    unsafe fn load(dst: u32, map: *const u8, at: Self::At, mbar: u32, hint: impl raw::L2CacheHint) {
        // SAFETY: the caller keeps the clauses of the instruction (`# Safety`).
        unsafe {
            raw::cp_async_bulk_tensor_2d_global_tile_gather4(
                space::SharedCta,
                cta_group::None,
                dst,
                map,
                at,
                mbar,
                multicast::None,
                hint,
            )
        }
    }
}
#[cfg(sm_100)]
#[diagnostic::do_not_recommend]
impl<const WIDTH: usize, M: MapSwizzle> TiledShape for Gather4<WIDTH, M> {
    const BOX: &'static [u32] = &[size::narrow(WIDTH), 1];
    type With<To: MapSwizzle> = Gather4<WIDTH, To>;
}
#[cfg(tensor_modes)]
#[diagnostic::do_not_recommend]
impl<const WIDTH: usize, M: MapSwizzle> MulticastShape for Gather4<WIDTH, M> {
    #[inline(always)]
    unsafe fn multicast(
        dst: u32,
        map: *const u8,
        at: Self::At,
        mbar: u32,
        mask: CtaMask,
        hint: impl raw::L2CacheHint,
    ) {
        // SAFETY: the caller keeps the clauses of the instruction (`# Safety`).
        unsafe {
            raw::cp_async_bulk_tensor_2d_global_tile_gather4(
                space::SharedCluster,
                cta_group::None,
                dst,
                map,
                at,
                mbar,
                multicast::Cluster(mask),
                hint,
            )
        }
    }
}
#[cfg(tensor_modes)]
#[diagnostic::do_not_recommend]
impl<const WIDTH: usize, M: MapSwizzle> PrefetchShape for Gather4<WIDTH, M> {
    #[inline(always)]
    unsafe fn prefetch(map: *const u8, at: Self::At, hint: impl raw::L2CacheHint) {
        // SAFETY: the caller keeps the clauses of the instruction (`# Safety`).
        unsafe { raw::cp_async_bulk_prefetch_tensor_2d_global_tile_gather4(map, at, hint) }
    }
}

/// The shape of a scatter: four rows of `WIDTH` elements to anywhere in a tensor of two dimensions (`.tile::scatter4`), whose map
/// has boxes of `WIDTH` by 1. A store takes the column and the four rows, which must differ: `map.at([128, 7, 3, 90, 4])` is the
/// rows 7, 3, 90 and 4 from column 128 on. The shape needs the feature `sm_100f` or `sm_110f`.
#[derive(Debug)]
pub enum Scatter4<const WIDTH: usize> {}

impl<const WIDTH: usize> Scatter4<WIDTH> {
    /// The number of elements of the four rows: the length of their array in shared memory.
    pub const LEN: usize = size::product([4, WIDTH]);
}
#[diagnostic::do_not_recommend]
impl<const WIDTH: usize> Sealed for Scatter4<WIDTH> {}
#[diagnostic::do_not_recommend]
impl<const WIDTH: usize> Shape for Scatter4<WIDTH> {
    const RANK: usize = 2;
    const LEN: usize = Self::LEN;
    const ROW: usize = WIDTH;
    const LIMITS: () = limits([WIDTH, 1]);
    type Bounds = ();
}
#[cfg(tensor_modes)]
#[diagnostic::do_not_recommend]
impl<const WIDTH: usize> StoreShape for Scatter4<WIDTH> {
    type TensorCoords = [i32; 5];
    type Boxes = ();
    #[inline(always)]
    fn writes(coords: &Self::TensorCoords, unit: i32) -> bool {
        is_aligned(coords, unit) & is_non_negative(coords)
    }
    #[inline(always)]
    unsafe fn store(map: *const u8, coords: Self::TensorCoords, src: u32, hint: impl raw::L2CacheHint) {
        // SAFETY: the caller keeps the clauses of the instruction (`# Safety`).
        unsafe { raw::cp_async_bulk_tensor_2d_global_shared_cta_tile_scatter4(map, coords, src, hint) }
    }
}
