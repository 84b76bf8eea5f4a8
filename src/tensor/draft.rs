//! Tensor maps that a CTA writes: 9.7.9.28, 9.7.13.16.

use core::marker::PhantomData;

use super::{LoadShape, TensorMap, TensorMapObject, TensorTile, TiledShape, shape_bytes};
use crate::group::{AfterSync, Cta, HasWarp, ThreadGroup, sync_first_warp, sync_with};
use crate::qualifier::{Sealed, elemtype, fill_mode, ord, scope, space, swizzle_mode};
use crate::raw;
use crate::shared::{Element, Free, Shared};

/// A tensor map in shared memory that is being written. Its type tells the rank, the box and the elements, at first those of
/// the map it was copied from; [`retype`](TensorMapDraft::retype) changes them together, in the type and in the map. Of an interleave
/// it has none, and its element strides are 1, as a [`TensorMap`] wants.
///
/// ```
/// # use ptx::{launch::Cta, qualifier::ord, tensor::{Box2, TensorMapDraft}};
/// # #[cfg(any(feature = "sm_90a", feature = "sm_100a"))]
/// /// The first `rows` rows of a tensor elsewhere.
/// # #[cfg(any(feature = "sm_90a", feature = "sm_100a"))]
/// fn change<'s>(
///     cta: &Cta,
///     draft: TensorMapDraft<'s, f32, Box2<64, 32>>,
///     address: *const f32,
///     rows: u32,
/// ) -> TensorMapDraft<'s, f32, Box2<64, 32>> {
///     draft.global_address(cta, address).global_dim(cta, ord::D1, rows)
/// }
/// ```
#[must_use = "a draft becomes a tensor map by `.publish(&cta, slot)`, which gives back its memory"]
#[derive(Debug)]
pub struct TensorMapDraft<'s, T, S: LoadShape, G = Cta> {
    memory: Shared<'s, u64, 16, Free, G>,
    bounds: S::Bounds,
    _of: PhantomData<(*const T, S)>,
}

static_assertions::assert_not_impl_any!(TensorMapDraft<'static, f32, super::Box1<4>>: Copy, Clone, Send, Sync);

/// Copies a tensor map to shared memory, to be changed there. The first warp does, and other threads do not wait for it.
///
/// Collective in the group.
///
/// PTX, by the first warp, per eight bytes: `ld.b64`, `st.weak.shared::cta.b64`; then `bar.warp.sync 0xffffffff;`
///
/// ```
/// # use ptx::{launch::Cta, shared::SharedArray, tensor::{self, Box2, TensorMapSlot, TensorMap}};
/// # fn kernel(cta: &mut Cta, memory: SharedArray<u64, 16>, map: TensorMap<f32, Box2<64, 32>>, slot: TensorMapSlot) {
/// let mut mine = None;
/// cta.async_scope(memory, |cta, memory| {
///     let draft = tensor::draft(cta, memory, &map);
///     // With the feature `sm_90a`: `draft.global_address(cta, address).global_dim(cta, ord::D1, rows)`.
///     // SAFETY: what it describes is valid; one place of the program.
///     let (memory, published) = unsafe { draft.publish(cta, slot) };
///     mine = Some(published.acquire(cta));
///     memory
/// });
/// # let _ = mine;
/// # }
/// ```
#[inline(always)]
pub fn draft<'s, T: Element, S: LoadShape, G: HasWarp>(
    group: &G,
    memory: Shared<'s, u64, 16, Free, G>,
    map: &TensorMap<T, S>,
) -> TensorMapDraft<'s, T, S, G> {
    let words = map.object.cast::<u64>();
    let (is_in_warp, lanes) = group.first_warp();
    if is_in_warp {
        let mut i = group.thread_rank();
        while i < 16 {
            // SAFETY: a map has 16 words, aligned to 8, which nobody writes; the memory has as many, which by its state nobody uses,
            // and each has one lane.
            unsafe { u64::store(memory.addr() + 8 * i, words.add(i as usize).read()) };
            i += lanes;
        }
        // The leader replaces fields of what the other lanes have copied.
        sync_first_warp();
    }
    TensorMapDraft { memory, bounds: map.bounds, _of: PhantomData }
}

/// The fields: each a function over the raw one of it, after its tags, on what is at `addr`.
macro_rules! fields {
    ($( $field:ident$(<$tag:ident: $Tag:ident>)?($($value:ident: $Value:ty)?) = $replace:ident; )*) => {
        /// Drafts whose fields can be replaced.
        #[diagnostic::on_unimplemented(
            message = "the target of the crate's features cannot change this tensor map",
            label = "no `tensormap.replace` for this map on this target",
            note = "`tensormap.replace` needs the feature `sm_90a`, `sm_100f`, `sm_110a` or `sm_120a`, and has the mode `.tile` alone: it changes maps of `Box1` to `Box5` and of `Gather4` (PTX ISA 9.7.9.28)"
        )]
        #[cfg_attr(doc, doc(hidden))]
        pub trait Replace: Sealed { $(
            /// # Safety
            ///
            /// The raw function's.
            #[doc(hidden)]
            unsafe fn $field($($tag: impl raw::$Tag,)? addr: u32 $(, $value: $Value)?);
        )*
            /// Writes a swizzle of 16-byte units.
            ///
            /// # Safety
            ///
            /// The raw function's.
            #[doc(hidden)]
            unsafe fn replace_swizzle(mode: impl raw::TensormapSwizzle, addr: u32);
        }
        #[cfg(any(feature = "sm_90a", feature = "sm_100f", feature = "sm_110a", feature = "sm_120a"))]
        #[diagnostic::do_not_recommend]
        impl<T, S: TiledShape, G> Replace for TensorMapDraft<'_, T, S, G> { $(
            #[inline(always)]
            unsafe fn $field($($tag: impl raw::$Tag,)? addr: u32 $(, $value: $Value)?) {
                // SAFETY: the caller's contract.
                unsafe { raw::$replace(space::SharedCta, $($tag,)? addr $(, $value)?) }
            }
        )*
            #[inline(always)]
            unsafe fn replace_swizzle(mode: impl raw::TensormapSwizzle, addr: u32) {
                // SAFETY: the caller's contract.
                unsafe { raw::tensormap_replace_tile_swizzle_mode(space::SharedCta, mode, addr) };
                // 5.5.7: a swizzle of less than 128 bytes has no other, and the map may have had one.
                #[cfg(any(feature = "sm_100f", feature = "sm_110a"))]
                // SAFETY: the caller's contract.
                unsafe {
                    raw::tensormap_replace_tile_swizzle_atomicity(
                        space::SharedCta,
                        crate::qualifier::swizzle_atomicity::B16,
                        addr,
                    )
                };
            }
        }
    };
}
fields! {
    replace_global_address(address: *const u8) = tensormap_replace_tile_global_address;
    replace_rank(less_one: u32) = tensormap_replace_tile_rank;
    replace_box_dim<ord: TensormapOrd>(elements: u32) = tensormap_replace_tile_box_dim;
    replace_global_dim<ord: TensormapOrd>(elements: u32) = tensormap_replace_tile_global_dim;
    replace_global_stride<ord: TensormapOrd>(bytes: u64) = tensormap_replace_tile_global_stride;
    replace_element_stride<ord: TensormapOrd>(elements: u32) = tensormap_replace_tile_element_stride;
    replace_elemtype<elemtype: TensormapElemtype>() = tensormap_replace_tile_elemtype;
    replace_fill_mode<fill: TensormapFill>() = tensormap_replace_tile_fill_mode;
}
impl<T, S: LoadShape, G> Sealed for TensorMapDraft<'_, T, S, G> {}

/// Drafts whose swizzle has an atomicity that can be replaced, and that loads heed.
#[diagnostic::on_unimplemented(
    message = "the target of the crate's features has no swizzle atomicity of loads",
    label = "no `.swizzle_atomicity` on this target",
    note = "it needs the feature `sm_100f` or `sm_110a` (PTX ISA 9.7.9.28, 9.7.9.25.5.1)"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait ReplaceAtomicity: Replace {
    /// Writes the swizzle of 128 bytes with this atomicity.
    ///
    /// # Safety
    ///
    /// The raw functions'.
    #[doc(hidden)]
    unsafe fn replace_swizzle_128(atomicity: impl raw::TensormapSwizzleAtomicity, addr: u32);
}
#[cfg(any(feature = "sm_100f", feature = "sm_110a"))]
#[diagnostic::do_not_recommend]
impl<T, S: TiledShape, G> ReplaceAtomicity for TensorMapDraft<'_, T, S, G> {
    #[inline(always)]
    unsafe fn replace_swizzle_128(atomicity: impl raw::TensormapSwizzleAtomicity, addr: u32) {
        // SAFETY: the caller's contract.
        unsafe {
            raw::tensormap_replace_tile_swizzle_mode(space::SharedCta, swizzle_mode::B128, addr);
            raw::tensormap_replace_tile_swizzle_atomicity(space::SharedCta, atomicity, addr);
        }
    }
}

/// Element types that a map of `T` can have: of its size, and of its kind.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no element type of a tensor map of `{T}`",
    label = "not a type of elements of `{T}`",
    note = "it is `U8` of `u8`, `i8`; `U16`, `F16`, `Bf16` of `u16`, `i16`; `U32`, `S32` of `u32`, `i32`; `U64`, `S64` of `u64`, `i64`; `F32`, `F32Ftz`, `Tf32`, `Tf32Ftz` of `f32`; `F64` of `f64`; `F16` of `half::f16`; `Bf16` of `half::bf16`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait ElementTypeOf<T: Element>: raw::TensormapElemtype {}

/// Elements that a map has a type for.
#[diagnostic::on_unimplemented(
    message = "a tensor map has no element type for `{Self}`",
    label = "not an element of a tensor map",
    note = "the elements of a tensor are integers of 8 to 64 bits, `f32`, `f64`, and `half::f16` and `half::bf16` with the feature `half`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait MapElement: Element {
    /// The type of that name.
    #[doc(hidden)]
    type Elemtype: ElementTypeOf<Self> + Default;
}

macro_rules! element_types {
    ($( $T:ty: $Own:ident $(, $Other:ident)*; )*) => { $(
        impl MapElement for $T {
            type Elemtype = elemtype::$Own;
        }
        impl ElementTypeOf<$T> for elemtype::$Own {}
        $( impl ElementTypeOf<$T> for elemtype::$Other {} )*
    )* };
}
element_types! {
    u8: U8;
    i8: U8;
    u16: U16, F16, Bf16;
    i16: U16, F16, Bf16;
    u32: U32, S32;
    i32: S32, U32;
    u64: U64, S64;
    i64: S64, U64;
    f32: F32, F32Ftz, Tf32, Tf32Ftz;
    f64: F64;
}
#[cfg(feature = "half")]
element_types! {
    half::f16: F16;
    half::bf16: Bf16;
}

/// What elements of `T` outside of the tensor can read as.
#[diagnostic::on_unimplemented(
    message = "elements of `{T}` outside of a tensor do not read as `{Self}`",
    label = "not a fill of `{T}`",
    note = "`fill_mode::Zero` fills with zeros; `fill_mode::OobNan` is for `f32`, `f64`, and for `half::f16` and `half::bf16` with the feature `half`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait FillOf<T: Element>: raw::TensormapFill {}
impl<T: Element> FillOf<T> for fill_mode::Zero {}
impl FillOf<f32> for fill_mode::OobNan {}
impl FillOf<f64> for fill_mode::OobNan {}
#[cfg(feature = "half")]
impl FillOf<half::f16> for fill_mode::OobNan {}
#[cfg(feature = "half")]
impl FillOf<half::bf16> for fill_mode::OobNan {}

/// Maps that copies can use: [`TensorMap`] alone.
#[diagnostic::on_unimplemented(
    message = "a copy cannot use a tensor map that is not acquired for the tensormap proxy",
    label = "not a `TensorMap` yet",
    note = "what was written to a map reaches tensor copies through `.publish(&cta, slot)`, then `.acquire(&cta)`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Acquired: Sealed {}
impl<T, S: LoadShape> Sealed for ReleasedTensorMap<T, S> {}

impl<'s, T: Element, S: LoadShape, G: HasWarp> TensorMapDraft<'s, T, S, G> {
    /// Says that this is not a [`TensorMap`] yet.
    #[doc(hidden)]
    #[inline(always)]
    pub fn at(&self, _at: S::At) -> TensorTile<T, S>
    where
        Self: Acquired,
    {
        crate::launch::trap()
    }

    /// Writes fields, in the one thread that does, at the draft's address.
    #[inline(always)]
    fn replace(self, group: &G, write: impl FnOnce(u32)) -> Self {
        if group.is_leader() {
            write(self.memory.addr());
        }
        self
    }
}

// SAFETY of what follows: the draft holds a map in shared memory, which only the leader touches until it is published;
// by `Replace` its mode is `.tile`; that new values of the tensor suit is in the contract of `publish`.
impl<'s, T: Element, S: LoadShape, G: HasWarp> TensorMapDraft<'s, T, S, G> {
    /// Replaces the address of the tensor.
    ///
    /// Collective in the group.
    ///
    /// PTX, by the leader: `tensormap.replace.tile.global_address.shared::cta.b1024.b64 [addr], address;`
    ///
    /// ```
    /// # use ptx::{launch::Cta, qualifier::ord, tensor::{Box2, TensorMapDraft}};
    /// # #[cfg(any(feature = "sm_90a", feature = "sm_100a"))]
    /// # fn kernel<'s>(cta: &Cta, draft: TensorMapDraft<'s, f32, Box2<64, 32>>, address: *const f32) -> TensorMapDraft<'s, f32, Box2<64, 32>> {
    /// let draft = draft.global_address(cta, address); // a multiple of 16
    /// # draft
    /// # }
    /// ```
    #[inline(always)]
    pub fn global_address(self, group: &G, address: *const T) -> Self
    where
        Self: Replace,
    {
        // SAFETY: see above.
        self.replace(group, |addr| unsafe { Self::replace_global_address(addr, address.cast()) })
    }

    /// Replaces the size of the tensor in the dimension `ORD`, 0 being the innermost, in elements.
    ///
    /// Collective in the group.
    ///
    /// PTX, by the leader: `tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [addr], ORD, elements;`
    ///
    /// ```
    /// # use ptx::{launch::Cta, qualifier::ord, tensor::{Box2, TensorMapDraft}};
    /// # #[cfg(any(feature = "sm_90a", feature = "sm_100a"))]
    /// # fn kernel<'s>(cta: &Cta, draft: TensorMapDraft<'s, f32, Box2<64, 32>>, rows: u32) -> TensorMapDraft<'s, f32, Box2<64, 32>> {
    /// let draft = draft.global_dim(cta, ord::D1, rows);
    /// # draft
    /// # }
    /// ```
    #[inline(always)]
    pub fn global_dim<Ord: raw::TensormapOrd>(self, group: &G, ord: Ord, elements: u32) -> Self
    where
        Self: Replace,
    {
        const {
            assert!(
                digit::<Ord>() < S::RANK,
                "a tensor has the dimensions `ord::D0` to that of its rank less one (PTX ISA 9.7.9.28)"
            )
        };
        // SAFETY: see above; the map has the dimension.
        self.replace(group, |addr| unsafe { Self::replace_global_dim(ord, addr, elements) })
    }

    /// Replaces the bytes from one index to the next of the dimension after `ORD`: `ord::D0` is the stride of dimension 1, as
    /// dimension 0 is contiguous.
    ///
    /// Collective in the group.
    ///
    /// PTX, by the leader: `tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [addr], ORD, bytes;`
    ///
    /// ```
    /// # use ptx::{launch::Cta, qualifier::ord, tensor::{Box2, TensorMapDraft}};
    /// # #[cfg(any(feature = "sm_90a", feature = "sm_100a"))]
    /// # fn kernel<'s>(cta: &Cta, draft: TensorMapDraft<'s, f32, Box2<64, 32>>, width: u64) -> TensorMapDraft<'s, f32, Box2<64, 32>> {
    /// let draft = draft.global_stride(cta, ord::D0, 4 * width); // from row to row
    /// # draft
    /// # }
    /// ```
    #[inline(always)]
    pub fn global_stride<Ord: raw::TensormapOrd>(self, group: &G, ord: Ord, bytes: u64) -> Self
    where
        Self: Replace,
    {
        const {
            assert!(
                digit::<Ord>() + 1 < S::RANK,
                "a tensor has one stride fewer than dimensions: the innermost is contiguous (PTX ISA 9.7.9.28)"
            )
        };
        // SAFETY: see above; the map has the stride.
        self.replace(group, |addr| unsafe { Self::replace_global_stride(ord, addr, bytes) })
    }

    /// Makes it a map of elements of `U` in boxes of `To`, not swizzled, which fills with zeros. The address, the sizes and the
    /// strides of the tensor stay, in the dimensions that there were before: replace those that are not right any more.
    ///
    /// Collective in the group.
    ///
    /// PTX, by the leader, with `.shared::cta.b1024.b32 [addr]` after each: `tensormap.replace.tile.rank`, `RANK - 1`, if
    /// the rank is another; for each dimension `tensormap.replace.tile.box_dim`, `ORD, elements`, and, if it is new,
    /// `tensormap.replace.tile.element_stride`, `ORD, 1`; `tensormap.replace.tile.elemtype`, the type of `U`;
    /// `tensormap.replace.tile.swizzle_mode`, `0`; with the feature `sm_100f` or `sm_110a`
    /// `tensormap.replace.tile.swizzle_atomicity`, `0`; `tensormap.replace.tile.fill_mode`, `0`
    ///
    /// ```
    /// # use ptx::{launch::Cta, qualifier::ord, tensor::{Box2, Box3, TensorMapDraft}};
    /// # #[cfg(any(feature = "sm_90a", feature = "sm_100a"))]
    /// # fn kernel<'s>(cta: &Cta, draft: TensorMapDraft<'s, f32, Box2<64, 32>>, images: u32) -> TensorMapDraft<'s, u16, Box3<64, 8, 8>> {
    /// let draft = draft.retype::<u16, Box3<64, 8, 8>>(cta);
    /// // Images of 640 by 480 elements of two bytes.
    /// let draft = draft.global_dim(cta, ord::D0, 640).global_dim(cta, ord::D1, 480).global_dim(cta, ord::D2, images);
    /// let draft = draft.global_stride(cta, ord::D0, 2 * 640).global_stride(cta, ord::D1, 2 * 640 * 480);
    /// # draft
    /// # }
    /// ```
    #[inline(always)]
    pub fn retype<U: MapElement, To: TiledShape>(self, group: &G) -> TensorMapDraft<'s, U, To, G>
    where
        Self: Replace,
    {
        const { shape_bytes::<U, To>() };
        let draft = self.replace(group, |addr| {
            // SAFETY: see above; together these are the rank, the box and the elements of the new type, with values that
            // the section's table and the limits of shapes allow.
            unsafe {
                if To::RANK != S::RANK {
                    Self::replace_rank(addr, To::RANK as u32 - 1);
                }
                Self::retype_dimension::<To, _>(ord::D0, addr);
                Self::retype_dimension::<To, _>(ord::D1, addr);
                Self::retype_dimension::<To, _>(ord::D2, addr);
                Self::retype_dimension::<To, _>(ord::D3, addr);
                Self::retype_dimension::<To, _>(ord::D4, addr);
                Self::replace_elemtype(U::Elemtype::default(), addr);
                Self::replace_swizzle(swizzle_mode::None, addr);
                Self::replace_fill_mode(fill_mode::Zero, addr);
            }
        });
        TensorMapDraft { memory: draft.memory, bounds: (), _of: PhantomData }
    }

    /// Writes the box's size in a dimension of `To`, and the element stride if `S` does not have the dimension.
    ///
    /// # Safety
    ///
    /// `addr` is the draft's address, in the leader.
    #[inline(always)]
    unsafe fn retype_dimension<To: TiledShape, Ord: raw::TensormapOrd>(ord: Ord, addr: u32)
    where
        Self: Replace,
    {
        let Some(&elements) = To::BOX.get(const { digit::<Ord>() }) else { return };
        // SAFETY: the caller's contract; `To` has the dimension.
        unsafe {
            Self::replace_box_dim(ord, addr, elements);
            if digit::<Ord>() >= S::RANK {
                Self::replace_element_stride(ord, addr, 1);
            }
        }
    }

    /// Replaces the type of the elements by another of the same size, which tells what a copy does to them:
    /// `elemtype::Tf32` rounds an `f32`, for good (see [`publish`](TensorMapDraft::publish)), `elemtype::F32Ftz` flushes subnormals.
    ///
    /// Collective in the group.
    ///
    /// PTX, by the leader: `tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [addr], elemtype;`
    ///
    /// ```
    /// # use ptx::{launch::Cta, qualifier::elemtype, tensor::{Box2, TensorMapDraft}};
    /// # #[cfg(any(feature = "sm_90a", feature = "sm_100a"))]
    /// # fn kernel<'s>(cta: &Cta, draft: TensorMapDraft<'s, f32, Box2<64, 32>>) -> TensorMapDraft<'s, f32, Box2<64, 32>> {
    /// let draft = draft.elemtype(cta, elemtype::Tf32);
    /// # draft
    /// # }
    /// ```
    #[inline(always)]
    pub fn elemtype(self, group: &G, elemtype: impl ElementTypeOf<T>) -> Self
    where
        Self: Replace,
    {
        // SAFETY: see above; a type of the section's table, as large as a `T`.
        self.replace(group, |addr| unsafe { Self::replace_elemtype(elemtype, addr) })
    }

    /// Replaces how 16-byte units are permuted in shared memory: not at all, or by a swizzle as wide as a row of the box.
    ///
    /// Collective in the group.
    ///
    /// PTX, by the leader: `tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [addr], mode;`, with the feature
    /// `sm_100f` or `sm_110a` also `tensormap.replace.tile.swizzle_atomicity.shared::cta.b1024.b32 [addr], 0;`
    ///
    /// ```
    /// # use ptx::{launch::Cta, qualifier::swizzle_mode, tensor::{Box2, TensorMapDraft}};
    /// # #[cfg(any(feature = "sm_90a", feature = "sm_100a"))]
    /// # fn kernel<'s>(cta: &Cta, draft: TensorMapDraft<'s, f32, Box2<32, 64>>) -> TensorMapDraft<'s, f32, Box2<32, 64>> {
    /// let draft = draft.swizzle_mode(cta, swizzle_mode::B128); // rows of 32 elements of four bytes
    /// # draft
    /// # }
    /// ```
    #[inline(always)]
    pub fn swizzle_mode<Mode: raw::TensormapSwizzle>(self, group: &G, mode: Mode) -> Self
    where
        Self: Replace,
    {
        const { row_is_as_wide::<T, S, Mode>() };
        // SAFETY: see above; a swizzle as wide as the row.
        self.replace(group, |addr| unsafe { Self::replace_swizzle(mode, addr) })
    }

    /// Replaces the swizzle by that of 128 bytes, as wide as a row of the box, which keeps units of 16, 32 or 64 bytes whole, or
    /// units of 32 with the halves of each 16 bytes swapped in every second row.
    ///
    /// Collective in the group.
    ///
    /// PTX, by the leader: `tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [addr], 3;`
    /// `tensormap.replace.tile.swizzle_atomicity.shared::cta.b1024.b32 [addr], atomicity;`
    ///
    /// ```
    /// # use ptx::{launch::Cta, qualifier::swizzle_atomicity, tensor::{Box2, TensorMapDraft}};
    /// # #[cfg(feature = "sm_100a")]
    /// # fn kernel<'s>(cta: &Cta, draft: TensorMapDraft<'s, f32, Box2<32, 64>>) -> TensorMapDraft<'s, f32, Box2<32, 64>> {
    /// let draft = draft.swizzle_atomicity(cta, swizzle_atomicity::B64); // 16 `f32` stay together
    /// # draft
    /// # }
    /// ```
    #[inline(always)]
    pub fn swizzle_atomicity<Atomicity>(self, group: &G, atomicity: Atomicity) -> Self
    where
        Atomicity: raw::TensormapSwizzleAtomicity,
        Self: ReplaceAtomicity,
    {
        const { row_is_as_wide::<T, S, swizzle_mode::B128>() };
        // SAFETY: see above; 5.5.7: of the swizzles, that of 128 bytes has every atomicity; "32B + 8B-flip" is for loads, and a
        // draft becomes a map for loads. Shared arrays are aligned to 128 bytes, which all units ask for at most.
        self.replace(group, |addr| unsafe { Self::replace_swizzle_128(atomicity, addr) })
    }

    /// Replaces the fill: what elements outside of the tensor read as, zeros or, of floating-point elements, a NaN.
    ///
    /// Collective in the group.
    ///
    /// PTX, by the leader: `tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [addr], fill;`
    ///
    /// ```
    /// # use ptx::{launch::Cta, qualifier::fill_mode, tensor::{Box2, TensorMapDraft}};
    /// # #[cfg(any(feature = "sm_90a", feature = "sm_100a"))]
    /// # fn kernel<'s>(cta: &Cta, draft: TensorMapDraft<'s, f32, Box2<64, 32>>) -> TensorMapDraft<'s, f32, Box2<64, 32>> {
    /// let draft = draft.fill_mode(cta, fill_mode::OobNan);
    /// # draft
    /// # }
    /// ```
    #[inline(always)]
    pub fn fill_mode(self, group: &G, fill: impl FillOf<T>) -> Self
    where
        Self: Replace,
    {
        // SAFETY: see above; a fill of the section's table.
        self.replace(group, |addr| unsafe { Self::replace_fill_mode(fill, addr) })
    }
}

/// The number of a tag that is a digit: the dimension of an `ord`.
const fn digit<Tag: crate::qualifier::Qualifier>() -> usize {
    (Tag::PTX.as_bytes()[0] - b'0') as usize
}

/// Fails where a swizzle of `Mode` is not as wide as a row of the box.
const fn row_is_as_wide<T, S: LoadShape, Mode: crate::qualifier::Qualifier>() {
    // By their numbers in the section's table.
    let width = [0, 32, 64, 128, 96][digit::<Mode>()];
    assert!(
        width == 0 || width == crate::size::product([S::ROW, size_of::<T>()]),
        "a swizzle is as wide as a row of the box: `swizzle_mode::B32` is for rows of 32 bytes, `B64` of 64, `B128` of 128 (a narrower row would be padded, a wider one refused)"
    );
}

impl<'s, T: Element, S: LoadShape, G: HasWarp> TensorMapDraft<'s, T, S, G> {
    /// Copies the map to its slot in global memory and releases it to the tensormap proxy. Gives back the shared memory.
    ///
    /// Collective in the group.
    ///
    /// PTX: by the first warp `bar.warp.sync 0xffffffff;`
    /// `tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [slot], [addr], 128;`
    /// `fence.proxy.async.shared::cta;`, then `barrier.cta.sync.aligned 0;`
    ///
    /// ```
    /// # use ptx::{launch::Cta, shared::{Free, Shared}, tensor::{Box2, TensorMapDraft, TensorMapSlot}};
    /// # fn kernel<'s>(cta: &Cta, draft: TensorMapDraft<'s, f32, Box2<64, 32>>, slot: TensorMapSlot) -> Shared<'s, u64, 16, Free> {
    /// // SAFETY: the draft still describes the tensor of its map; one place of the program.
    /// let (memory, published) = unsafe { draft.publish(cta, slot) };
    /// let map = published.acquire(cta);
    /// # memory
    /// # }
    /// ```
    ///
    /// # Safety
    ///
    /// - what the map describes now is as [`TensorMap::from_raw`] says: valid global memory that nobody writes until the grid
    ///   ends, of an address and of strides that are multiples of 16. After [`retype`](TensorMapDraft::retype) each dimension that the
    ///   map did not have has a size and a stride.
    /// - if it fills with NaN, its element type is a floating-point one: the host can have encoded another than `T`'s.
    /// - if its element type was once `.tf32` or `.tf32.ftz`, it is one of these: `tensormap.replace` of another leaves a part of
    ///   them behind, as measured on an H200, and copies round still, or fail.
    /// - the threads of a warp make this call from one place of the program (`.aligned`).
    #[inline(always)]
    pub unsafe fn publish(
        self,
        group: &G,
        slot: TensorMapSlot,
    ) -> (Shared<'s, u64, 16, Free, G>, ReleasedTensorMap<T, S>) {
        // SAFETY: the caller's contract.
        sync_with(group, unsafe { self.publish_at_sync(group, slot) })
    }

    /// [`publish`](TensorMapDraft::publish), at a barrier that other transitions share.
    ///
    /// Collective in the group.
    ///
    /// PTX: as [`publish`](TensorMapDraft::publish), without the last barrier.
    ///
    /// ```
    /// # use ptx::{launch::Cta, mbarrier::{Mbarrier, Uninit}, tensor::{Box2, TensorMapDraft, TensorMapSlot, TensorMap}};
    /// # type Map = TensorMap<f32, Box2<64, 32>>;
    /// # fn kernel(cta: &Cta, draft: TensorMapDraft<f32, Box2<64, 32>>, slot: TensorMapSlot, loaded: Mbarrier<Uninit>) {
    /// // SAFETY: the draft still describes the tensor of its map; one place of the program.
    /// let published = unsafe { draft.publish_at_sync(cta, slot) };
    /// // One barrier for the map and the mbarrier.
    /// let ((memory, published), loaded) = cta.sync_with((published, loaded.init_at_sync(cta)));
    /// let map: Map = published.acquire(cta);
    /// # }
    /// ```
    ///
    /// # Safety
    ///
    /// As [`publish`](TensorMapDraft::publish).
    #[inline(always)]
    #[expect(clippy::type_complexity, reason = "what `publish` gives")]
    pub unsafe fn publish_at_sync(
        self,
        group: &G,
        slot: TensorMapSlot,
    ) -> AfterSync<(Shared<'s, u64, 16, Free, G>, ReleasedTensorMap<T, S>), G> {
        if group.first_warp().0 {
            // The other lanes copy what the leader has replaced.
            sync_first_warp();
            let dst = raw::cvta_to(space::Global, slot.object) as *mut u8;
            // SAFETY: warps are 32 threads of consecutive ranks, and those of this one all come here, by the contract. The
            // slot is 128 bytes of global memory, aligned to 128, used by nobody; the draft is a map.
            unsafe { raw::tensormap_cp_fenceproxy(scope::Gpu, dst, self.memory.addr()) };
            // The memory, which these lanes have written, can become the destination of a copy.
            raw::fence_proxy_async(space::SharedCta);
        }
        // Behind the barrier each thread can acquire what the warp has released.
        AfterSync::new((
            self.memory,
            ReleasedTensorMap { object: slot.object, bounds: self.bounds, _of: PhantomData },
        ))
    }
}

/// 128 bytes of global memory for one tensor map that this CTA makes.
///
/// ```
/// # use ptx::{launch::Cta, shared::{Free, Shared}, tensor::{self, Box2, TensorMapSlot, TensorMap}};
/// type Map = TensorMap<f32, Box2<64, 32>>;
/// type Memory<'s> = Shared<'s, u64, 16, Free>;
/// /// A map of the CTA's own, equal to the one that is there.
/// unsafe fn copy<'s>(cta: &Cta, memory: Memory<'s>, map: &Map, slot: TensorMapSlot) -> (Memory<'s>, Map) {
///     // SAFETY: it describes what `map` does; the caller's: one place of the program.
///     let (memory, published) = unsafe { tensor::draft(cta, memory, map).publish(cta, slot) };
///     (memory, published.acquire(cta))
/// }
/// ```
#[derive(Debug)]
pub struct TensorMapSlot {
    object: *mut u8,
}

static_assertions::assert_not_impl_any!(TensorMapSlot: Copy, Clone, Send, Sync);

impl TensorMapSlot {
    /// ```
    /// # use ptx::{launch::Cta, tensor::{TensorMapSlot, TensorMapObject}};
    /// # unsafe fn kernel(cta: &Cta, slots: *mut TensorMapObject) {
    /// // SAFETY: the host passes a slot for each CTA, aligned to 128.
    /// let slot = unsafe { TensorMapSlot::from_raw(slots.add(cta.grid_rank() as usize)) };
    /// # }
    /// ```
    ///
    /// # Safety
    ///
    /// - `object` is the generic or global address, aligned to 128, of 128 bytes of global memory.
    /// - until the grid ends, this CTA alone uses them, through this handle alone, which each of its threads makes once, with
    ///   an equal argument. If they held a map before, no copy uses it any more.
    #[inline(always)]
    pub const unsafe fn from_raw(object: *mut TensorMapObject) -> Self {
        TensorMapSlot { object: object.cast() }
    }
}

/// A tensor map in global memory that is released to the tensormap proxy, and not yet acquired.
///
/// ```
/// # use ptx::{launch::Cta, tensor::{Box2, ReleasedTensorMap, TensorMap}};
/// fn usable(cta: &Cta, published: ReleasedTensorMap<f32, Box2<64, 32>>) -> TensorMap<f32, Box2<64, 32>> {
///     published.acquire(cta)
/// }
/// ```
#[must_use = "a published map is usable after `.acquire(&cta)`"]
#[derive(Debug)]
pub struct ReleasedTensorMap<T, S: LoadShape> {
    object: *const u8,
    bounds: S::Bounds,
    _of: PhantomData<(*const T, S)>,
}

static_assertions::assert_not_impl_any!(ReleasedTensorMap<f32, super::Box1<4>>: Copy, Clone, Send, Sync);

impl<T: Element, S: LoadShape> ReleasedTensorMap<T, S> {
    /// Says that this is not a [`TensorMap`] yet.
    #[doc(hidden)]
    #[inline(always)]
    pub fn at(&self, _at: S::At) -> TensorTile<T, S>
    where
        Self: Acquired,
    {
        crate::launch::trap()
    }

    /// Acquires the map for the copies of this CTA.
    ///
    /// Collective in the group.
    ///
    /// PTX: `fence.proxy.tensormap::generic.acquire.gpu [object], 128;`
    ///
    /// ```
    /// # use ptx::{launch::Cta, tensor::{Box2, ReleasedTensorMap, TensorMap}};
    /// # fn kernel(cta: &Cta, published: ReleasedTensorMap<f32, Box2<64, 32>>) {
    /// let map = published.acquire(cta);
    /// let tile = map.box_at([1, 1]);
    /// # }
    /// ```
    #[inline(always)]
    pub fn acquire(self, _group: &impl ThreadGroup) -> TensorMap<T, S> {
        // SAFETY: 128 bytes of global memory, by the contract of `TensorMapSlot::from_raw`.
        unsafe { raw::fence_proxy_tensormap_generic_acquire(scope::Gpu, self.object) };
        TensorMap { object: self.object, bounds: self.bounds, _of: PhantomData }
    }
}
