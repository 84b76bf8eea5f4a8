//! Tensor maps that a CTA writes: 9.7.9.28, 9.7.13.16.

use core::marker::PhantomData;

use super::{LoadShape, TensorMap, TensorMapObject, TensorTile};
use crate::launch::Cta;
use crate::qualifier::{Sealed, scope, space};
use crate::raw;
use crate::shared::{Element, Free, Shared, fence_async};

/// A tensor map in shared memory that is being written. It has the rank, the box and the element type of the map it was
/// copied from, which its type tells; where its tensor lies and how large it is can be replaced.
///
/// ```
/// # use ptx::{launch::Cta, qualifier::ord, tensor::{Box2, Draft}};
/// # #[cfg(any(feature = "sm_90a", feature = "sm_100a"))]
/// /// The first `rows` rows of a tensor elsewhere.
/// # #[cfg(any(feature = "sm_90a", feature = "sm_100a"))]
/// fn change<'s>(
///     cta: &Cta,
///     draft: Draft<'s, f32, Box2<64, 32>>,
///     address: *const f32,
///     rows: u32,
/// ) -> Draft<'s, f32, Box2<64, 32>> {
///     draft.global_address(cta, address).global_dim(cta, ord::D1, rows)
/// }
/// ```
#[must_use = "a draft becomes a tensor map by `.publish(&cta, slot)`, which gives back its memory"]
#[derive(Debug)]
pub struct Draft<'s, T, S: LoadShape> {
    memory: Shared<'s, u64, 16, Free>,
    _of: PhantomData<(*const T, S)>,
}

/// Copies a tensor map to shared memory, to be changed there.
///
/// PTX per sixteen bytes, by a thread: two `ld.b64`, `st.weak.shared::cta.v4.b32`; then, by every thread,
/// `barrier.cta.sync 0;`
///
/// ```
/// # use ptx::{launch::Cta, shared::SharedArray, tensor::{self, Box2, MapSlot, TensorMap}};
/// # fn kernel(cta: &Cta, memory: SharedArray<u64, 16>, map: TensorMap<f32, Box2<64, 32>>, slot: MapSlot) {
/// let mut mine = None;
/// cta.lend(memory, |cta, memory| {
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
pub fn draft<'s, T: Element, S: LoadShape>(
    cta: &Cta,
    memory: Shared<'s, u64, 16, Free>,
    map: &TensorMap<T, S>,
) -> Draft<'s, T, S> {
    let words = map.object.cast::<u64>();
    // SAFETY: a map has 16 words, aligned to 8, which nobody writes.
    let written = memory.write(cta, |i| unsafe { words.add(i).read() });
    // The elected thread replaces fields of what the others have copied.
    Draft { memory: Shared::new(written.publish(cta).addr()), _of: PhantomData }
}

/// Drafts whose fields can be replaced.
#[diagnostic::on_unimplemented(
    message = "the target of the crate's features cannot change a tensor map",
    label = "no `tensormap.replace` on this target",
    note = "`tensormap.replace` needs the feature `sm_90a`, `sm_100f`, `sm_110a` or `sm_120a` (PTX ISA 9.7.9.28)"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Replace: Sealed {}
impl<T, S: LoadShape> Sealed for Draft<'_, T, S> {}
#[cfg(any(feature = "sm_90a", feature = "sm_100f", feature = "sm_110a", feature = "sm_120a"))]
impl<T, S: LoadShape> Replace for Draft<'_, T, S> {}

/// Maps that copies can use: [`TensorMap`] alone.
#[diagnostic::on_unimplemented(
    message = "a copy cannot use a tensor map that is not acquired for the tensormap proxy",
    label = "not a `TensorMap` yet",
    note = "what was written to a map reaches tensor copies through `.publish(&cta, slot)`, then `.acquire(&cta)`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Acquired: Sealed {}
impl<T, S: LoadShape> Sealed for Released<T, S> {}

impl<'s, T: Element, S: LoadShape> Draft<'s, T, S> {
    /// Says that this is not a [`TensorMap`] yet.
    #[doc(hidden)]
    #[inline(always)]
    pub fn at(&self, _at: S::At) -> TensorTile<T, S>
    where
        Self: Acquired,
    {
        crate::launch::trap()
    }

    /// Replaces the address of the tensor.
    ///
    /// PTX, by the elected thread: `tensormap.replace.tile.global_address.shared::cta.b1024.b64 [addr], address;`
    ///
    /// ```
    /// # use ptx::{launch::Cta, qualifier::ord, tensor::{Box2, Draft}};
    /// # #[cfg(any(feature = "sm_90a", feature = "sm_100a"))]
    /// # fn kernel<'s>(cta: &Cta, draft: Draft<'s, f32, Box2<64, 32>>, address: *const f32) -> Draft<'s, f32, Box2<64, 32>> {
    /// let draft = draft.global_address(cta, address); // a multiple of 16
    /// # draft
    /// # }
    /// ```
    #[inline(always)]
    pub fn global_address(self, cta: &Cta, address: *const T) -> Self
    where
        Self: Replace,
    {
        #[cfg(any(feature = "sm_90a", feature = "sm_100f", feature = "sm_110a", feature = "sm_120a"))]
        {
            if cta.is_elected() {
                // SAFETY: the draft holds a map, which only this thread touches until it is published; that the new value
                // suits is in the contract of `publish`.
                unsafe {
                    raw::tensormap_replace_tile_global_address(
                        space::SharedCta,
                        self.memory.addr(),
                        address.cast(),
                    )
                }
            }
        }
        #[cfg(not(any(feature = "sm_90a", feature = "sm_100f", feature = "sm_110a", feature = "sm_120a")))]
        let _ = (cta, address);
        self
    }

    /// Replaces the size of the tensor in the dimension `ORD`, 0 being the innermost, in elements.
    ///
    /// PTX, by the elected thread: `tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [addr], ORD, elements;`
    ///
    /// ```
    /// # use ptx::{launch::Cta, qualifier::ord, tensor::{Box2, Draft}};
    /// # #[cfg(any(feature = "sm_90a", feature = "sm_100a"))]
    /// # fn kernel<'s>(cta: &Cta, draft: Draft<'s, f32, Box2<64, 32>>, rows: u32) -> Draft<'s, f32, Box2<64, 32>> {
    /// let draft = draft.global_dim(cta, ord::D1, rows);
    /// # draft
    /// # }
    /// ```
    #[inline(always)]
    pub fn global_dim<Ord: raw::TensormapOrd>(self, cta: &Cta, ord: Ord, elements: u32) -> Self
    where
        Self: Replace,
    {
        const {
            assert!(
                dimension::<Ord>() < S::RANK,
                "a tensor has the dimensions `ord::D0` to that of its rank less one (PTX ISA 9.7.9.28)"
            )
        };
        #[cfg(any(feature = "sm_90a", feature = "sm_100f", feature = "sm_110a", feature = "sm_120a"))]
        {
            if cta.is_elected() {
                // SAFETY: as in `global_address`; the map has the dimension.
                unsafe {
                    raw::tensormap_replace_tile_global_dim(
                        space::SharedCta,
                        ord,
                        self.memory.addr(),
                        elements,
                    )
                }
            }
        }
        #[cfg(not(any(feature = "sm_90a", feature = "sm_100f", feature = "sm_110a", feature = "sm_120a")))]
        let _ = (cta, ord, elements);
        self
    }

    /// Replaces the bytes from one index to the next of the dimension after `ORD`: `ord::D0` is the stride of dimension 1, as
    /// dimension 0 is contiguous.
    ///
    /// PTX, by the elected thread: `tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [addr], ORD, bytes;`
    ///
    /// ```
    /// # use ptx::{launch::Cta, qualifier::ord, tensor::{Box2, Draft}};
    /// # #[cfg(any(feature = "sm_90a", feature = "sm_100a"))]
    /// # fn kernel<'s>(cta: &Cta, draft: Draft<'s, f32, Box2<64, 32>>, width: u64) -> Draft<'s, f32, Box2<64, 32>> {
    /// let draft = draft.global_stride(cta, ord::D0, 4 * width); // from row to row
    /// # draft
    /// # }
    /// ```
    #[inline(always)]
    pub fn global_stride<Ord: raw::TensormapOrd>(self, cta: &Cta, ord: Ord, bytes: u64) -> Self
    where
        Self: Replace,
    {
        const {
            assert!(
                dimension::<Ord>() + 1 < S::RANK,
                "a tensor has one stride fewer than dimensions: the innermost is contiguous (PTX ISA 9.7.9.28)"
            )
        };
        #[cfg(any(feature = "sm_90a", feature = "sm_100f", feature = "sm_110a", feature = "sm_120a"))]
        {
            if cta.is_elected() {
                // SAFETY: as in `global_dim`.
                unsafe {
                    raw::tensormap_replace_tile_global_stride(
                        space::SharedCta,
                        ord,
                        self.memory.addr(),
                        bytes,
                    )
                }
            }
        }
        #[cfg(not(any(feature = "sm_90a", feature = "sm_100f", feature = "sm_110a", feature = "sm_120a")))]
        let _ = (cta, ord, bytes);
        self
    }
}

/// The number of `ord`, which is a digit.
const fn dimension<Ord: crate::qualifier::Qualifier>() -> usize {
    (Ord::PTX.as_bytes()[0] - b'0') as usize
}

impl<'s, T: Element, S: LoadShape> Draft<'s, T, S> {
    /// Copies the map to its slot in global memory and releases it to the tensormap proxy. Gives back the shared memory.
    ///
    /// PTX: `barrier.cta.sync 0;`, by the warp of the elected thread
    /// `tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [slot], [addr], 128;`, then
    /// `fence.proxy.async.shared::cta;` `barrier.cta.sync 0;`
    ///
    /// ```
    /// # use ptx::{launch::Cta, shared::{Free, Shared}, tensor::{Box2, Draft, MapSlot}};
    /// # fn kernel<'s>(cta: &Cta, draft: Draft<'s, f32, Box2<64, 32>>, slot: MapSlot) -> Shared<'s, u64, 16, Free> {
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
    ///   ends, of an address and of strides that are multiples of 16.
    /// - the threads of a warp make this call from one place of the program (`.aligned`).
    #[inline(always)]
    pub unsafe fn publish(self, cta: &Cta, slot: MapSlot) -> (Shared<'s, u64, 16, Free>, Released<T, S>) {
        // The other threads of the warp copy what the elected thread has replaced.
        cta.sync();
        if cta.thread_rank() < 32 {
            let dst = raw::cvta_to(space::Global, slot.object) as *mut u8;
            // SAFETY: warps are 32 threads of consecutive ranks, and those of this one all come here, by the contract. The
            // slot is 128 bytes of global memory, aligned to 128, used by nobody; the draft is a map.
            unsafe { raw::tensormap_cp_fenceproxy(scope::Gpu, dst, self.memory.addr()) }
        }
        // The memory can become the destination of a copy.
        fence_async(cta);
        (self.memory, Released { object: slot.object, _of: PhantomData })
    }
}

/// 128 bytes of global memory for one tensor map that this CTA makes.
///
/// ```
/// # use ptx::{launch::Cta, shared::{Free, Shared}, tensor::{self, Box2, MapSlot, TensorMap}};
/// type Map = TensorMap<f32, Box2<64, 32>>;
/// type Memory<'s> = Shared<'s, u64, 16, Free>;
/// /// A map of the CTA's own, equal to the one that is there.
/// unsafe fn copy<'s>(cta: &Cta, memory: Memory<'s>, map: &Map, slot: MapSlot) -> (Memory<'s>, Map) {
///     // SAFETY: it describes what `map` does; the caller's: one place of the program.
///     let (memory, published) = unsafe { tensor::draft(cta, memory, map).publish(cta, slot) };
///     (memory, published.acquire(cta))
/// }
/// ```
#[derive(Debug)]
pub struct MapSlot {
    object: *mut u8,
}

static_assertions::assert_not_impl_any!(MapSlot: Copy, Clone, Send, Sync);

impl MapSlot {
    /// ```
    /// # use ptx::{launch::Cta, tensor::{MapSlot, TensorMapObject}};
    /// # unsafe fn kernel(cta: &Cta, slots: *mut TensorMapObject) {
    /// // SAFETY: the host passes a slot for each CTA, aligned to 128.
    /// let slot = unsafe { MapSlot::from_raw(slots.add(cta.rank() as usize)) };
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
        MapSlot { object: object.cast() }
    }
}

/// A tensor map in global memory that is released to the tensormap proxy, and not yet acquired.
///
/// ```
/// # use ptx::{launch::Cta, tensor::{Box2, Released, TensorMap}};
/// fn usable(cta: &Cta, published: Released<f32, Box2<64, 32>>) -> TensorMap<f32, Box2<64, 32>> {
///     published.acquire(cta)
/// }
/// ```
#[must_use = "a published map is usable after `.acquire(&cta)`"]
#[derive(Debug)]
pub struct Released<T, S: LoadShape> {
    object: *const u8,
    _of: PhantomData<(*const T, S)>,
}

impl<T: Element, S: LoadShape> Released<T, S> {
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
    /// PTX: `fence.proxy.tensormap::generic.acquire.gpu [object], 128;`
    ///
    /// ```
    /// # use ptx::{launch::Cta, tensor::{Box2, Released, TensorMap}};
    /// # fn kernel(cta: &Cta, published: Released<f32, Box2<64, 32>>) {
    /// let map = published.acquire(cta);
    /// let tile = map.at([64, 32]);
    /// # }
    /// ```
    #[inline(always)]
    pub fn acquire(self, _cta: &Cta) -> TensorMap<T, S> {
        // SAFETY: 128 bytes of global memory, by the contract of `MapSlot::from_raw`.
        unsafe { raw::fence_proxy_tensormap_generic_acquire(scope::Gpu, self.object) };
        TensorMap { object: self.object, _of: PhantomData }
    }
}
