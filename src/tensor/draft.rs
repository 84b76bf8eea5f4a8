//! Tensor maps that a CTA makes on the device: `tensormap.replace` (9.7.9.28) and `tensormap.cp_fenceproxy` (9.7.13.16).

use core::marker::PhantomData;

use super::{LoadShape, MapSwizzle, TensorMap, TensorMapObject, TensorTile, TiledShape, shape_bytes};
use crate::group::{AfterSync, Cta, HasFirstWarp, ThreadGroup, sync_first_warp};
use crate::qualifier::{Sealed, elemtype, fill_mode, ord, scope, space, swizzle_mode};
use crate::raw;
use crate::shared::{Element, Free, Shared};

/// A tensor map (`CUtensorMap`) in shared memory whose fields the CTA replaces (`tensormap.replace`). The type carries the
/// elements and the shape of the map, which are at first those of the copied map; [`retype`](TensorMapDraft::retype) changes them
/// in the type and in the map together. A draft has no interleave, and its element strides are 1, as a [`TensorMap`] requires.
///
/// ```
/// # use ptx::{group::Cta, qualifier::ord, shared::{Free, Shared}, tensor::{self, Box2, TensorMap, TensorMapSlot}};
/// # type Memory<'s> = Shared<'s, u64, 16, Free>;
/// # type Map = TensorMap<f32, Box2<64, 32>>;
/// # #[cfg(any(feature = "sm_90a", feature = "sm_100f", feature = "sm_110f", feature = "sm_120f"))]
/// /// Makes a map of the first `rows` rows of another tensor, whose rows are as long.
/// unsafe fn first_rows<'s>(
///     cta: &Cta,
///     memory: Memory<'s>,
///     map: &Map,
///     (tensor, rows): (*const f32, u32),
///     slot: TensorMapSlot,
/// ) -> (Memory<'s>, Map) {
///     let draft = tensor::draft(cta, memory, map).global_address(cta, tensor).global_dim(cta, ord::D1, rows);
///     // SAFETY: the caller passes a tensor that no thread writes, aligned to 16 bytes; all threads make this one call.
///     let (memory, released) = unsafe { draft.publish(cta, slot) }.sync(cta);
///     (memory, released.acquire(cta))
/// }
/// ```
#[must_use = "a draft is not a tensor map yet: call `.publish(cta, slot).sync(cta)`, which also gives back the shared memory"]
#[derive(Debug)]
pub struct TensorMapDraft<'s, T, S: LoadShape, G = Cta> {
    memory: Shared<'s, u64, 16, Free, G>,
    bounds: S::Bounds,
    _of: PhantomData<(*const T, S)>,
}

/// Copies a tensor map to shared memory, as a draft whose fields can be replaced (`tensormap.replace`). The first warp copies the
/// map; the other threads do not wait for the copy. [`TensorMapDraft`] has an example.
///
/// Collective in the group.
///
/// PTX, by the first warp, per eight bytes: `ld.b64`, `st.weak.shared::cta.b64`; then `bar.warp.sync 0xffffffff;`
#[inline(always)]
#[track_caller]
pub fn draft<'s, T: Element, S: LoadShape, G: HasFirstWarp>(
    group: &G,
    memory: Shared<'s, u64, 16, Free, G>,
    map: &TensorMap<T, S>,
) -> TensorMapDraft<'s, T, S, G> {
    meet!(group; memory.addr());
    let words = map.object.cast::<u64>();
    let (is_in_warp, lanes) = group.first_warp();
    if is_in_warp {
        let mut i = group.thread_rank();
        while i < 16 {
            // SAFETY: a map has 16 words, aligned to 8 bytes, which no thread writes (`TensorMap::from_raw`). `memory` has 16
            // words, which no thread uses in the state `Free`; one lane writes each word.
            unsafe { u64::store(memory.addr() + 8 * i, words.add(i as usize).read()) };
            i += lanes;
        }
        // The leader will replace fields that other lanes have copied.
        sync_first_warp();
    }
    TensorMapDraft { memory, bounds: map.bounds, _of: PhantomData }
}

/// The fields of a map. Each has a trait function over the raw function that replaces the field of the map at `addr`.
macro_rules! fields {
    ($( $field:ident$(<$tag:ident: $Tag:ident>)?($($value:ident: $Value:ty)?) = $replace:ident; )*) => {
        /// Drafts whose fields `tensormap.replace` can replace on the selected target.
        #[diagnostic::on_unimplemented(
            message = "this tensor map cannot be changed on the target that the crate's features select",
            label = "no `tensormap.replace` for this map on this target",
            note = "select the feature `sm_90a`, `sm_100f`, `sm_110f` or `sm_120f`, which `tensormap.replace` needs; it has the mode `.tile` alone and changes maps of `Box1` to `Box5` and of `Gather4` (PTX ISA 9.7.9.28)"
        )]
        #[cfg_attr(doc, doc(hidden))]
        pub trait Replace: Sealed { $(
            /// Replaces a field of the map at `addr` in shared memory (`tensormap.replace`).
            ///
            /// # Safety
            ///
            /// The clauses of the raw function hold.
            #[doc(hidden)]
            unsafe fn $field($($tag: impl raw::$Tag,)? addr: u32 $(, $value: $Value)?);
        )*
            /// Replaces the swizzle by a swizzle of 16-byte units.
            ///
            /// # Safety
            ///
            /// The clauses of the raw function hold.
            #[doc(hidden)]
            unsafe fn replace_swizzle(mode: impl raw::TensormapSwizzle, addr: u32);
        }
        #[cfg(tensormap_replace)]
        #[diagnostic::do_not_recommend]
        impl<T, S: TiledShape, G> Replace for TensorMapDraft<'_, T, S, G> { $(
            #[inline(always)]
            unsafe fn $field($($tag: impl raw::$Tag,)? addr: u32 $(, $value: $Value)?) {
                // SAFETY: the caller keeps the clauses of the raw function (`# Safety`).
                unsafe { raw::$replace(space::SharedCta, $($tag,)? addr $(, $value)?) }
            }
        )*
            #[inline(always)]
            unsafe fn replace_swizzle(mode: impl raw::TensormapSwizzle, addr: u32) {
                // SAFETY: the caller keeps the clauses of the raw function (`# Safety`).
                unsafe { raw::tensormap_replace_tile_swizzle_mode(space::SharedCta, mode, addr) };
                // The map may have had another atomicity, which only a swizzle of 128 bytes can have (PTX ISA 5.5.7).
                #[cfg(load_swizzle_atomicity)]
                // SAFETY: the caller keeps the clauses of the raw function (`# Safety`).
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

/// Drafts whose swizzle atomicity can be replaced, on targets whose loads support `.swizzle_atomicity`.
#[diagnostic::on_unimplemented(
    message = "loads have no swizzle atomicity on the target that the crate's features select",
    label = "no `.swizzle_atomicity` on this target",
    note = "select the feature `sm_100f` or `sm_110f`, which `.swizzle_atomicity` needs (PTX ISA 9.7.9.28, 9.7.9.25.5.1)"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait ReplaceAtomicity: Replace {
    /// Replaces the swizzle by the 128-byte swizzle with this atomicity.
    ///
    /// # Safety
    ///
    /// The clauses of the raw functions hold.
    #[doc(hidden)]
    unsafe fn replace_swizzle_128(atomicity: impl raw::TensormapSwizzleAtomicity, addr: u32);
}
#[cfg(load_swizzle_atomicity)]
#[diagnostic::do_not_recommend]
impl<T, S: TiledShape, G> ReplaceAtomicity for TensorMapDraft<'_, T, S, G> {
    #[inline(always)]
    unsafe fn replace_swizzle_128(atomicity: impl raw::TensormapSwizzleAtomicity, addr: u32) {
        // SAFETY: the caller keeps the clauses of the raw functions (`# Safety`).
        unsafe {
            raw::tensormap_replace_tile_swizzle_mode(space::SharedCta, swizzle_mode::B128, addr);
            raw::tensormap_replace_tile_swizzle_atomicity(space::SharedCta, atomicity, addr);
        }
    }
}

/// Element types (`.elemtype`) of the size and the kind of `T`, which a map of `T` can have.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an element type of a tensor map of `{T}`",
    label = "not an element type for `{T}`",
    note = "the element types are `U8` for `u8`, `i8`; `U16`, `F16`, `Bf16` for `u16`, `i16`; `U32`, `S32` for `u32`, `i32`; `U64`, `S64` for `u64`, `i64`; `F32`, `F32Ftz`, `Tf32`, `Tf32Ftz` for `f32`; `F64` for `f64`; `F16` for `half::f16`; `Bf16` for `half::bf16`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait ElementTypeOf<T: Element>: raw::TensormapElemtype {}

/// Rust types that the elements of a tensor map can have, each with a PTX element type (`.elemtype`).
#[diagnostic::on_unimplemented(
    message = "a tensor map has no element type for `{Self}`",
    label = "not an element of a tensor map",
    note = "the elements of a tensor are integers of 8 to 64 bits, `f32`, `f64`, `f16` and `bf16`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait MapElement: Element {
    /// The element type that corresponds to `Self`.
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
element_types! {
    half::f16: F16;
    half::bf16: Bf16;
}

/// Fill modes (`.fill_mode`) of a tensor map of `T`: the values that elements outside the tensor can read as.
#[diagnostic::on_unimplemented(
    message = "elements of `{T}` outside a tensor cannot read as `{Self}`",
    label = "not a fill for `{T}`",
    note = "`fill_mode::Zero` fills with zeros; `fill_mode::OobNan` is for `f32`, `f64`, `f16` and `bf16`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait FillOf<T: Element>: raw::TensormapFill {}
impl<T: Element> FillOf<T> for fill_mode::Zero {}
impl FillOf<f32> for fill_mode::OobNan {}
impl FillOf<f64> for fill_mode::OobNan {}
impl FillOf<half::f16> for fill_mode::OobNan {}
impl FillOf<half::bf16> for fill_mode::OobNan {}

/// Tensor maps that TMA copies can use: [`TensorMap`] alone.
#[diagnostic::on_unimplemented(
    message = "a copy cannot use a tensor map that has not been acquired for the tensormap proxy",
    label = "not a `TensorMap` yet",
    note = "call `.publish(cta, slot).sync(cta)` on a draft, then `.acquire(cta)`: only then do tensor copies see the fields that were written"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Acquired: Sealed {}
impl<T, S: LoadShape> Sealed for ReleasedTensorMap<T, S> {}

impl<'s, T: Element, S: LoadShape, G: HasFirstWarp> TensorMapDraft<'s, T, S, G> {
    /// Exists for its error message, which says that a draft is not a [`TensorMap`] yet.
    #[doc(hidden)]
    #[inline(always)]
    pub fn at(&self, _at: S::At) -> TensorTile<T, S>
    where
        Self: Acquired,
    {
        crate::trap::trap()
    }

    /// Calls `write` with the draft's address, in the leader alone.
    #[inline(always)]
    #[track_caller]
    fn replace(self, group: &G, write: impl FnOnce(u32)) -> Self {
        meet!(group; self.memory.addr());
        if group.is_leader() {
            write(self.memory.addr());
        }
        self
    }
}

// The SAFETY comments of this block rest on three facts. Until the map is published, only the leader touches it. `Replace` proves
// the mode `.tile`. The caller of `publish` vouches for the values that describe the tensor.
impl<'s, T: Element, S: LoadShape, G: HasFirstWarp> TensorMapDraft<'s, T, S, G> {
    /// Replaces the draft's address of the tensor in global memory, a multiple of 16 (`tensormap.replace.tile.global_address`).
    ///
    /// Collective in the group.
    ///
    /// PTX, by the leader: `tensormap.replace.tile.global_address.shared::cta.b1024.b64 [addr], address;`
    #[inline(always)]
    #[track_caller]
    #[doc(alias("cuda::ptx::tensormap_replace_global_address", "tensormap_replace_global_address"))]
    pub fn global_address(self, group: &G, address: *const T) -> Self
    where
        Self: Replace,
    {
        // SAFETY: only the leader touches the map; the caller of `publish` vouches for the address.
        self.replace(group, |addr| unsafe { Self::replace_global_address(addr, address.cast()) })
    }

    /// Replaces the draft's size of the tensor in the dimension `ORD`, in elements (`tensormap.replace.tile.global_dim`).
    /// Dimension 0 is the innermost.
    ///
    /// Collective in the group.
    ///
    /// PTX, by the leader: `tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [addr], ORD, elements;`
    #[inline(always)]
    #[track_caller]
    pub fn global_dim<Ord: raw::TensormapOrd>(self, group: &G, ord: Ord, elements: u32) -> Self
    where
        Self: Replace,
    {
        const {
            assert!(
                digit::<Ord>() < S::RANK,
                "a tensor has the dimensions `ord::D0` to that of its rank less one: choose one of these (PTX ISA 9.7.9.28)"
            )
        };
        // SAFETY: only the leader touches the map, which has the dimension; the caller of `publish` vouches for the size.
        self.replace(group, |addr| unsafe { Self::replace_global_dim(ord, addr, elements) })
    }

    /// Replaces the draft's stride of the tensor in one dimension, in bytes, a multiple of 16
    /// (`tensormap.replace.tile.global_stride`). `ORD` is one less than the dimension: `ord::D0` selects the stride of dimension
    /// 1, because dimension 0 is contiguous.
    ///
    /// Collective in the group.
    ///
    /// PTX, by the leader: `tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [addr], ORD, bytes;`
    #[inline(always)]
    #[track_caller]
    pub fn global_stride<Ord: raw::TensormapOrd>(self, group: &G, ord: Ord, bytes: u64) -> Self
    where
        Self: Replace,
    {
        const {
            assert!(
                digit::<Ord>() + 1 < S::RANK,
                "a tensor has one stride fewer than dimensions, as the innermost is contiguous: `ord::D0` is the stride of dimension 1 (PTX ISA 9.7.9.28)"
            )
        };
        // SAFETY: only the leader touches the map, which has the stride; the caller of `publish` vouches for its value.
        self.replace(group, |addr| unsafe { Self::replace_global_stride(ord, addr, bytes) })
    }

    /// Makes the draft a map of elements of `U` in boxes of `To`, without a swizzle and with zeros as the fill
    /// (`tensormap.replace`). `To` is a shape without a swizzle; [`swizzle_mode`](TensorMapDraft::swizzle_mode) then gives the
    /// map one. The address, the sizes and the strides of the tensor stay, in the dimensions that the map had before: replace
    /// those that no longer fit, and set those of new dimensions.
    ///
    /// Collective in the group.
    ///
    /// PTX, by the leader, with `.shared::cta.b1024.b32 [addr]` after each: `tensormap.replace.tile.rank`, `RANK - 1`, if the
    /// rank changes; for each dimension `tensormap.replace.tile.box_dim`, `ORD, elements`, and, if the dimension is new,
    /// `tensormap.replace.tile.element_stride`, `ORD, 1`; `tensormap.replace.tile.elemtype`, the type of `U`;
    /// `tensormap.replace.tile.swizzle_mode`, `0`; with the feature `sm_100f` or `sm_110f`
    /// `tensormap.replace.tile.swizzle_atomicity`, `0`; `tensormap.replace.tile.fill_mode`, `0`
    ///
    /// ```
    /// # use ptx::{group::Cta, qualifier::ord, tensor::{Box2, Box3, TensorMapDraft}};
    /// # #[cfg(any(feature = "sm_90a", feature = "sm_100f", feature = "sm_110f", feature = "sm_120f"))]
    /// # fn kernel<'s>(cta: &Cta, draft: TensorMapDraft<'s, f32, Box2<64, 32>>, images: u32)
    /// # -> TensorMapDraft<'s, u16, Box3<64, 8, 8>> {
    /// let draft = draft.retype::<u16, Box3<64, 8, 8>>(cta);
    /// // Images of 640 by 480 elements of two bytes.
    /// let draft = draft.global_dim(cta, ord::D0, 640).global_dim(cta, ord::D1, 480).global_dim(cta, ord::D2, images);
    /// let draft = draft.global_stride(cta, ord::D0, 2 * 640).global_stride(cta, ord::D1, 2 * 640 * 480);
    /// # draft
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn retype<U: MapElement, To: TiledShape>(self, group: &G) -> TensorMapDraft<'s, U, To, G>
    where
        Self: Replace,
    {
        const {
            assert!(
                To::SPAN == 0,
                "`retype` makes a map without a swizzle: name the shape without a swizzle, and then call `.swizzle_mode(&cta, mode)`"
            );
            shape_bytes::<U, To>()
        };
        let draft = self.replace(group, |addr| {
            // SAFETY: only the leader touches the map. The values are the rank, the box and the elements of the new type, which
            // `shape_bytes` checks and the table of 9.7.9.28 allows.
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

    /// Replaces the box's size in a dimension of `To`, and sets the element stride of a dimension that `S` does not have.
    ///
    /// # Safety
    ///
    /// `addr` is the draft's address, and the leader makes the call.
    #[inline(always)]
    unsafe fn retype_dimension<To: TiledShape, Ord: raw::TensormapOrd>(ord: Ord, addr: u32)
    where
        Self: Replace,
    {
        let Some(&elements) = To::BOX.get(const { digit::<Ord>() }) else { return };
        // SAFETY: the leader alone makes the call, with the draft's address (`# Safety`); `To` has the dimension.
        unsafe {
            Self::replace_box_dim(ord, addr, elements);
            if digit::<Ord>() >= S::RANK {
                Self::replace_element_stride(ord, addr, 1);
            }
        }
    }

    /// Replaces the draft's type of the elements by another type of the same size, which decides how a copy converts elements:
    /// `elemtype::Tf32` rounds an `f32`, `elemtype::F32Ftz` flushes subnormals to zero. A map cannot leave the `Tf32` types again
    /// (see [`publish`](TensorMapDraft::publish)).
    ///
    /// Collective in the group.
    ///
    /// PTX, by the leader: `tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [addr], elemtype;`
    #[inline(always)]
    #[track_caller]
    #[doc(alias("cuda::ptx::tensormap_replace_elemtype", "tensormap_replace_elemtype"))]
    pub fn elemtype(self, group: &G, elemtype: impl ElementTypeOf<T>) -> Self
    where
        Self: Replace,
    {
        // SAFETY: only the leader touches the map; `ElementTypeOf` is a type of the table of 9.7.9.28, as large as a `T`.
        self.replace(group, |addr| unsafe { Self::replace_elemtype(elemtype, addr) })
    }

    /// Replaces the swizzle (`CUtensorMapSwizzle`), the permutation of 16-byte units in shared memory, in the map and in the type
    /// of the draft: no swizzle, or one as wide as a row of the box, such as `swizzle_mode::B128` for rows of 32 four-byte
    /// elements.
    ///
    /// Collective in the group.
    ///
    /// PTX, by the leader: `tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [addr], mode;`, with the feature `sm_100f`
    /// or `sm_110f` also `tensormap.replace.tile.swizzle_atomicity.shared::cta.b1024.b32 [addr], 0;`
    #[inline(always)]
    #[track_caller]
    pub fn swizzle_mode<Mode>(self, group: &G, mode: Mode) -> TensorMapDraft<'s, T, S::With<Mode>, G>
    where
        Mode: raw::TensormapSwizzle + MapSwizzle,
        S: TiledShape,
        Self: Replace,
    {
        const { shape_bytes::<T, S::With<Mode>>() };
        // SAFETY: only the leader touches the map; the swizzle is asserted to be as wide as the row.
        let draft = self.replace(group, |addr| unsafe { Self::replace_swizzle(mode, addr) });
        TensorMapDraft { memory: draft.memory, bounds: (), _of: PhantomData }
    }

    /// Replaces the swizzle by the 128-byte swizzle with the given atomicity, in the map and in the type of the draft, for a box
    /// with rows of 128 bytes. Units of 16, 32 or 64 bytes stay whole: with `swizzle_atomicity::B64`, 16 `f32` stay together.
    /// `B32FlipB8` keeps units of 32 bytes and swaps the halves of each 16 bytes in every second row.
    ///
    /// Collective in the group.
    ///
    /// PTX, by the leader: `tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [addr], 3;`
    /// `tensormap.replace.tile.swizzle_atomicity.shared::cta.b1024.b32 [addr], atomicity;`
    #[inline(always)]
    #[track_caller]
    pub fn swizzle_atomicity<Atomicity>(
        self,
        group: &G,
        atomicity: Atomicity,
    ) -> TensorMapDraft<'s, T, S::With<(swizzle_mode::B128, Atomicity)>, G>
    where
        Atomicity: raw::TensormapSwizzleAtomicity,
        (swizzle_mode::B128, Atomicity): MapSwizzle,
        S: TiledShape,
        Self: ReplaceAtomicity,
    {
        const { shape_bytes::<T, S::With<(swizzle_mode::B128, Atomicity)>>() };
        // SAFETY: only the leader touches the map. The 128-byte swizzle has every atomicity, "32B + 8B-flip" for loads, which a
        // draft is for (PTX ISA 5.5.7). Shared arrays are aligned to 128 bytes, the most that a unit needs.
        let draft = self.replace(group, |addr| unsafe { Self::replace_swizzle_128(atomicity, addr) });
        TensorMapDraft { memory: draft.memory, bounds: (), _of: PhantomData }
    }

    /// Replaces the draft's fill, the value that elements outside the tensor read as: zeros or, for floating-point elements, a
    /// NaN (`fill_mode::OobNan`).
    ///
    /// Collective in the group.
    ///
    /// PTX, by the leader: `tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [addr], fill;`
    #[inline(always)]
    #[track_caller]
    pub fn fill_mode(self, group: &G, fill: impl FillOf<T>) -> Self
    where
        Self: Replace,
    {
        // SAFETY: only the leader touches the map; `FillOf` is a fill of the table of 9.7.9.28.
        self.replace(group, |addr| unsafe { Self::replace_fill_mode(fill, addr) })
    }
}

/// The number of a tag whose PTX text is one digit: the dimension of an `ord`, the value of a swizzle mode.
const fn digit<Tag: crate::qualifier::Qualifier>() -> usize {
    (Tag::PTX.as_bytes()[0] - b'0') as usize
}

impl<'s, T: Element, S: LoadShape, G: HasFirstWarp> TensorMapDraft<'s, T, S, G> {
    /// Copies the draft from shared memory to `slot` in global memory and releases the map to the tensormap proxy
    /// (`tensormap.cp_fenceproxy`). Returns the shared memory and the released map, after a barrier.
    ///
    /// Collective in the group.
    ///
    /// PTX: by the first warp `bar.warp.sync 0xffffffff;`
    /// `tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [slot], [addr], 128;`
    /// `fence.proxy.async.shared::cta;`
    ///
    /// ```
    /// # use ptx::{group::{Cta, Together}, mbarrier::{Mbarrier, Uninit}};
    /// # use ptx::tensor::{Box2, TensorMapDraft, TensorMapSlot, TensorMap};
    /// # type Map = TensorMap<f32, Box2<64, 32>>;
    /// # fn kernel(cta: &Cta, draft: TensorMapDraft<f32, Box2<64, 32>>, slot: TensorMapSlot, loaded: Mbarrier<Uninit>) {
    /// // SAFETY: the draft still describes the tensor of its map; all threads make this one call.
    /// let released = unsafe { draft.publish(cta, slot) };
    /// // One barrier serves the map and the mbarrier.
    /// let ((memory, released), loaded) = (released, loaded.init(cta)).sync(cta);
    /// let map: Map = released.acquire(cta);
    /// # }
    /// ```
    ///
    /// # Safety
    ///
    /// - The map now satisfies [`TensorMap::from_raw`]: its tensor is valid global memory that no thread writes until the grid
    ///   ends, and its address and strides are multiples of 16. After [`retype`](TensorMapDraft::retype), each dimension that the
    ///   map did not have before has a size and a stride.
    /// - If the fill is NaN, the element type of the map is a floating-point type: the host may have encoded a type other than
    ///   `T`'s.
    /// - If the element type was ever `.tf32` or `.tf32.ftz`, it is one of these two now. A later `tensormap.replace` leaves a
    ///   part of these types behind (measured on an H200): copies still round, or fail.
    /// - The threads of a warp make this call from one place of the program (`.aligned`).
    #[inline(always)]
    #[track_caller]
    #[expect(clippy::type_complexity, reason = "the returned handles, each in its state")]
    #[doc(alias(
        "cuda::ptx::tensormap_cp_fenceproxy",
        "cute::tma_descriptor_cp_fence_release",
        "tensormap_cp_fenceproxy"
    ))]
    pub unsafe fn publish(
        self,
        group: &G,
        slot: TensorMapSlot,
    ) -> AfterSync<(Shared<'s, u64, 16, Free, G>, ReleasedTensorMap<T, S>), G> {
        meet!(group; self.memory.addr());
        if group.first_warp().0 {
            // All lanes copy the fields that the leader has replaced.
            sync_first_warp();
            let dst = raw::cvta_to(space::Global, slot.object) as *mut u8;
            // SAFETY: the 32 threads of this warp, which have consecutive ranks, all make this call (clause 4). The slot is 128
            // bytes of global memory, aligned to 128, that only this CTA uses (`TensorMapSlot::from_raw`); the draft is a map.
            unsafe { raw::tensormap_cp_fenceproxy(scope::Gpu, dst, self.memory.addr()) };
            // These lanes wrote the memory through the generic proxy; a bulk copy may write the memory next.
            raw::fence_proxy_async(space::SharedCta);
        }
        // Behind the barrier, each thread can acquire the map that the warp has released.
        AfterSync::new((
            self.memory,
            ReleasedTensorMap { object: slot.object, bounds: self.bounds, _of: PhantomData },
        ))
    }
}

/// A handle of a slot of 128 bytes of global memory, for one tensor map (`CUtensorMap`) that this CTA makes on the device.
#[derive(Debug)]
pub struct TensorMapSlot {
    object: *mut u8,
}

impl TensorMapSlot {
    /// Makes a handle of the 128 bytes of global memory at `object`, for a tensor map (`CUtensorMap`) that this CTA makes.
    ///
    /// ```
    /// # use ptx::{group::Cta, tensor::{TensorMapSlot, TensorMapObject}};
    /// # unsafe fn kernel(cta: &Cta, slots: *mut TensorMapObject) {
    /// // SAFETY: the host passes one slot for each CTA, aligned to 128 bytes.
    /// let slot = unsafe { TensorMapSlot::from_raw(slots.add(cta.grid_rank() as usize)) };
    /// # }
    /// ```
    ///
    /// # Safety
    ///
    /// - `object` is the generic or global address, aligned to 128, of 128 bytes of global memory.
    /// - Until the grid ends, only this CTA uses these bytes, and only through this handle. Each thread of the CTA makes the
    ///   handle once, with an equal argument. If the bytes held a map before, no copy uses that map any more.
    #[inline(always)]
    pub const unsafe fn from_raw(object: *mut TensorMapObject) -> Self {
        TensorMapSlot { object: object.cast() }
    }
}

/// A tensor map (`CUtensorMap`) in global memory that is released to the tensormap proxy and not yet acquired:
/// [`acquire`](ReleasedTensorMap::acquire) makes it a [`TensorMap`].
#[must_use = "copies cannot use a released tensor map yet: call `.acquire(&cta)`"]
#[derive(Debug)]
pub struct ReleasedTensorMap<T, S: LoadShape> {
    object: *const u8,
    bounds: S::Bounds,
    _of: PhantomData<(*const T, S)>,
}

impl<T: Element, S: LoadShape> ReleasedTensorMap<T, S> {
    /// Exists for its error message, which says that a released map is not a [`TensorMap`] yet.
    #[doc(hidden)]
    #[inline(always)]
    pub fn at(&self, _at: S::At) -> TensorTile<T, S>
    where
        Self: Acquired,
    {
        crate::trap::trap()
    }

    /// Acquires the released map for the tensor copies of this CTA (`fence.proxy.tensormap`) and returns it as a [`TensorMap`].
    ///
    /// Collective in the group.
    ///
    /// PTX: `fence.proxy.tensormap::generic.acquire.gpu [object], 128;`
    #[inline(always)]
    #[track_caller]
    #[doc(alias(
        "cuda::ptx::fence_proxy_tensormap_generic",
        "cute::tma_descriptor_fence_acquire",
        "fence_proxy_tensormap_generic"
    ))]
    pub fn acquire(self, group: &impl ThreadGroup) -> TensorMap<T, S> {
        meet!(group);
        // SAFETY: clause 1 of `TensorMapSlot::from_raw`: `object` is the address of 128 bytes of global memory.
        unsafe { raw::fence_proxy_tensormap_generic_acquire(scope::Gpu, self.object) };
        TensorMap { object: self.object, bounds: self.bounds, _of: PhantomData }
    }
}

handles! { TensorMapDraft<f32, super::Box1<4>>, TensorMapSlot, ReleasedTensorMap<f32, super::Box1<4>> }
