//! Shared memory: declared by the kernel ([`shared_memory!`](crate::shared_memory)) or added by the launch
//! ([`DynamicShared`]), and owned by handles whose type says who may touch it now.
//!
//! A [`SharedArray`] is memory at rest. [`Cta::async_scope`] turns it, for the time of a closure, into a [`Shared`] in the
//! state [`Free`], which copies can take. The closure has to return it, so no copy can be in flight
//! when it ends, whatever is forgotten inside.
//!
//! ```text
//!            bulk::load, wait            release
//!   Free  ───────────────────► Loaded ─────────────► Free
//!    │ write                     │ update
//!    └────────► Written ◄────────┘
//!                 │ to_async                  publish: Written ─► Published (readable)
//!                 ▼
//!              Fenced ── bulk::store, commit, wait_read ──► Fenced ── into_free ──► Free
//! ```
//!
//! What threads and [`cp_async`](crate::cp_async) fill goes round without a proxy fence:
//!
//! ```text
//!   Free, FreeGeneric ── cp_async::load, wait, or write, publish ──► Published ── release ──► FreeGeneric
//!                                          to_async: Published, FreeGeneric ─► Fenced
//! ```

use core::marker::PhantomData;

use crate::group::{AfterSync, Cta, End, HandOver, ThreadGroup, sync_with};
use crate::qualifier::{B128, Sealed, space, ty};
use crate::raw;
use crate::size;
use crate::trap::trap;

mod layout;
mod own;
mod places;
mod stores;
mod view;

pub use layout::Swizzle;
pub(crate) use layout::swizzled;
pub use own::{OwnVector, OwnVectors};
pub use places::Places;
pub use stores::{ElementStores, VectorStores};
pub use view::View2d;
pub(crate) use view::rows;

/// A plain-data element: any bit pattern is a value.
///
/// # Safety
///
/// Implemented here only: for types without padding or invalid values, of 1, 2, 4, 8 or 16 bytes.
///
/// ```
/// # use ptx::shared::{Element, Published, Shared};
/// // For elements of any type.
/// fn ends<T: Element, const N: usize>(tile: &Shared<'_, T, N, Published>) -> Option<(T, T)> {
///     Some((tile.get(0)?, tile.get(N - 1)?))
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an element of shared memory",
    label = "not a plain number",
    note = "a copy can leave any bits in an element: it is an integer of 8 to 64 bits, `f32`, `f64` or `B128`; with the feature `half`, also `half::f16`, `half::bf16` or a pair of them"
)]
pub unsafe trait Element: Copy + Sealed + 'static {
    /// Sixteen bytes of elements, accessed as `.v4.b32`, as `.v2.b64` if an element has 64 bits, as `.b128` if it has 128.
    type Vector: Copy + AsRef<[Self]> + AsMut<[Self]>;

    /// Loads one element.
    ///
    /// # Safety
    ///
    /// `addr` is the `.shared::cta` address of an element, aligned to its size, and nobody writes it now.
    ///
    /// ```
    /// # use ptx::shared::{Element, Published, Shared};
    /// # fn kernel(tile: &Shared<'_, f32, 64, Published>) {
    /// // SAFETY: element 3 of a published tile, which nobody writes.
    /// let x = unsafe { f32::load(tile.addr() + 3 * 4) };
    /// # }
    /// ```
    unsafe fn load(addr: u32) -> Self;

    /// Stores one element.
    ///
    /// # Safety
    ///
    /// As [`load`](Element::load), and nobody else reads it now.
    ///
    /// ```
    /// # use ptx::{launch::Cta, shared::{Element, Free, Published, Shared}};
    /// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, u32, 64, Free>) -> Shared<'s, u32, 64, Published> {
    /// let tile = tile.write(cta, |_| 0);
    /// if cta.thread_rank() == 0 {
    ///     // SAFETY: the thread that wrote element 0 writes it again; the others read it after `publish`.
    ///     unsafe { u32::store(tile.addr(), 7) };
    /// }
    /// let tile = tile.publish(cta);
    /// # tile
    /// # }
    /// ```
    unsafe fn store(addr: u32, value: Self);

    /// Loads sixteen bytes.
    ///
    /// # Safety
    ///
    /// As [`load`](Element::load), for sixteen bytes aligned to 16.
    ///
    /// ```
    /// # use ptx::shared::{Element, Published, Shared};
    /// # fn kernel(tile: &Shared<'_, f32, 64, Published>) {
    /// // SAFETY: elements 4 to 7 of a published tile, which starts at a multiple of 128.
    /// let [a, b, c, d] = unsafe { f32::load_vector(tile.addr() + 16) };
    /// # }
    /// ```
    unsafe fn load_vector(addr: u32) -> Self::Vector;

    /// Stores sixteen bytes.
    ///
    /// # Safety
    ///
    /// As [`store`](Element::store), for sixteen bytes aligned to 16.
    ///
    /// ```
    /// # use ptx::{launch::Cta, shared::{Element, Free, Published, Shared}};
    /// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, u32, 64, Free>) -> Shared<'s, u32, 64, Published> {
    /// let tile = tile.write(cta, |_| 0);
    /// if cta.thread_rank() == 0 {
    ///     // SAFETY: the thread that wrote the first sixteen bytes writes them again, before `publish`.
    ///     unsafe { u32::store_vector(tile.addr(), [1, 2, 3, 4]) };
    /// }
    /// let tile = tile.publish(cta);
    /// # tile
    /// # }
    /// ```
    unsafe fn store_vector(addr: u32, value: Self::Vector);

    /// [`load`](Element::load) from the shared memory of any CTA of the cluster.
    ///
    /// # Safety
    ///
    /// As [`load`](Element::load), for a `.shared::cluster` address in a CTA that has not exited.
    ///
    /// ```
    /// # use ptx::{raw, shared::{Element, Published, Shared}};
    /// # unsafe fn kernel(tile: &Shared<'_, u32, 64, Published>) {
    /// // SAFETY: CTA 1 published its tile there before a cluster barrier, and exits after another.
    /// let x = unsafe { u32::load_cluster(raw::mapa_shared_cluster(tile.addr(), 1)) };
    /// # }
    /// ```
    unsafe fn load_cluster(addr: u32) -> Self;

    /// [`store`](Element::store) to the shared memory of any CTA of the cluster.
    ///
    /// # Safety
    ///
    /// As [`store`](Element::store), for a `.shared::cluster` address in a CTA that has not exited.
    ///
    /// ```
    /// # use ptx::{raw, shared::{Element, Free, Shared}};
    /// # unsafe fn kernel(tile: &Shared<'_, u32, 64, Free>) {
    /// // SAFETY: the one thread that stores there; CTA 1 uses its tile after the cluster's next barrier.
    /// unsafe { u32::store_cluster(raw::mapa_shared_cluster(tile.addr(), 1), 7) };
    /// # }
    /// ```
    unsafe fn store_cluster(addr: u32, value: Self);

    /// [`load_vector`](Element::load_vector) from the shared memory of any CTA of the cluster.
    ///
    /// # Safety
    ///
    /// As [`load_vector`](Element::load_vector), for a `.shared::cluster` address in a CTA that has not exited.
    ///
    /// ```
    /// # use ptx::{raw, shared::{Element, Published, Shared}};
    /// # unsafe fn kernel(tile: &Shared<'_, u64, 64, Published>) {
    /// // SAFETY: CTA 1 published its tile there before a cluster barrier, and exits after another.
    /// let [a, b] = unsafe { u64::load_vector_cluster(raw::mapa_shared_cluster(tile.addr(), 1)) };
    /// # }
    /// ```
    unsafe fn load_vector_cluster(addr: u32) -> Self::Vector;

    /// [`store_vector`](Element::store_vector) to the shared memory of any CTA of the cluster.
    ///
    /// # Safety
    ///
    /// As [`store_vector`](Element::store_vector), for a `.shared::cluster` address in a CTA that has not exited.
    ///
    /// ```
    /// # use ptx::{raw, shared::{Element, Free, Shared}};
    /// # unsafe fn kernel(tile: &Shared<'_, u64, 64, Free>) {
    /// // SAFETY: the one thread that stores there; CTA 1 uses its tile after the cluster's next barrier.
    /// unsafe { u64::store_vector_cluster(raw::mapa_shared_cluster(tile.addr(), 1), [7, 8]) };
    /// # }
    /// ```
    unsafe fn store_vector_cluster(addr: u32, value: Self::Vector);
}

/// The same bits as another type.
///
/// # Safety
///
/// Both are plain data.
#[inline(always)]
pub(crate) unsafe fn bits<From: Copy, To: Copy>(from: From) -> To {
    const { assert!(size_of::<From>() == size_of::<To>()) };
    // SAFETY: of one size, and any bit pattern is a value of `To`.
    unsafe { core::mem::transmute_copy(&from) }
}

macro_rules! elements {
    ($( $T:ty: $lanes:literal, $Bits:ident, $ld_vector:ident $st_vector:ident $VectorBits:ident; )*) => { $(
        impl Sealed for $T {}
        // SAFETY: a primitive number: no padding, no invalid value.
        unsafe impl Element for $T {
            type Vector = [$T; $lanes];
            #[inline(always)]
            unsafe fn load(addr: u32) -> Self {
                // SAFETY: the caller's contract is the instruction's; both types are plain data of one size.
                unsafe { bits(raw::ld_weak(space::SharedCta, ty::$Bits, addr)) }
            }
            #[inline(always)]
            unsafe fn store(addr: u32, value: Self) {
                // SAFETY: as above.
                unsafe { raw::st_weak(space::SharedCta, ty::$Bits, addr, bits(value)) }
            }
            #[inline(always)]
            unsafe fn load_vector(addr: u32) -> Self::Vector {
                // SAFETY: as above; sixteen bytes each.
                unsafe { bits(raw::$ld_vector(space::SharedCta, ty::$VectorBits, addr)) }
            }
            #[inline(always)]
            unsafe fn store_vector(addr: u32, value: Self::Vector) {
                // SAFETY: as above; sixteen bytes each.
                unsafe { raw::$st_vector(space::SharedCta, ty::$VectorBits, addr, bits(value)) }
            }
            #[inline(always)]
            unsafe fn load_cluster(addr: u32) -> Self {
                // SAFETY: as above.
                unsafe { bits(raw::ld_weak(space::SharedCluster, ty::$Bits, addr)) }
            }
            #[inline(always)]
            unsafe fn store_cluster(addr: u32, value: Self) {
                // SAFETY: as above.
                unsafe { raw::st_weak(space::SharedCluster, ty::$Bits, addr, bits(value)) }
            }
            #[inline(always)]
            unsafe fn load_vector_cluster(addr: u32) -> Self::Vector {
                // SAFETY: as above; sixteen bytes each.
                unsafe { bits(raw::$ld_vector(space::SharedCluster, ty::$VectorBits, addr)) }
            }
            #[inline(always)]
            unsafe fn store_vector_cluster(addr: u32, value: Self::Vector) {
                // SAFETY: as above; sixteen bytes each.
                unsafe { raw::$st_vector(space::SharedCluster, ty::$VectorBits, addr, bits(value)) }
            }
        }
    )* };
}

elements! {
    u8: 16, B8, ld_weak_v4 st_weak_v4 B32;
    i8: 16, B8, ld_weak_v4 st_weak_v4 B32;
    u16: 8, B16, ld_weak_v4 st_weak_v4 B32;
    i16: 8, B16, ld_weak_v4 st_weak_v4 B32;
    u32: 4, B32, ld_weak_v4 st_weak_v4 B32;
    i32: 4, B32, ld_weak_v4 st_weak_v4 B32;
    f32: 4, B32, ld_weak_v4 st_weak_v4 B32;
    u64: 2, B64, ld_weak_v2 st_weak_v2 B64;
    i64: 2, B64, ld_weak_v2 st_weak_v2 B64;
    f64: 2, B64, ld_weak_v2 st_weak_v2 B64;
}
#[cfg(feature = "half")]
elements! {
    half::f16: 8, B16, ld_weak_v4 st_weak_v4 B32;
    half::bf16: 8, B16, ld_weak_v4 st_weak_v4 B32;
    [half::f16; 2]: 4, B32, ld_weak_v4 st_weak_v4 B32;
    [half::bf16; 2]: 4, B32, ld_weak_v4 st_weak_v4 B32;
}

impl Sealed for B128 {}
// SAFETY: two integers without padding.
#[diagnostic::do_not_recommend]
unsafe impl Element for B128 {
    type Vector = [B128; 1];
    #[inline(always)]
    unsafe fn load(addr: u32) -> Self {
        // SAFETY: the caller's contract is the instruction's.
        unsafe { raw::ld_weak_b128(space::SharedCta, addr) }
    }
    #[inline(always)]
    unsafe fn store(addr: u32, value: Self) {
        // SAFETY: as above.
        unsafe { raw::st_weak_b128(space::SharedCta, addr, value) }
    }
    #[inline(always)]
    unsafe fn load_vector(addr: u32) -> Self::Vector {
        // SAFETY: as above; sixteen bytes each.
        unsafe { [raw::ld_weak_b128(space::SharedCta, addr)] }
    }
    #[inline(always)]
    unsafe fn store_vector(addr: u32, value: Self::Vector) {
        // SAFETY: as above; sixteen bytes each.
        unsafe { raw::st_weak_b128(space::SharedCta, addr, value[0]) }
    }
    #[inline(always)]
    unsafe fn load_cluster(addr: u32) -> Self {
        // SAFETY: as above.
        unsafe { raw::ld_weak_b128(space::SharedCluster, addr) }
    }
    #[inline(always)]
    unsafe fn store_cluster(addr: u32, value: Self) {
        // SAFETY: as above.
        unsafe { raw::st_weak_b128(space::SharedCluster, addr, value) }
    }
    #[inline(always)]
    unsafe fn load_vector_cluster(addr: u32) -> Self::Vector {
        // SAFETY: as above; sixteen bytes each.
        unsafe { [raw::ld_weak_b128(space::SharedCluster, addr)] }
    }
    #[inline(always)]
    unsafe fn store_vector_cluster(addr: u32, value: Self::Vector) {
        // SAFETY: as above; sixteen bytes each.
        unsafe { raw::st_weak_b128(space::SharedCluster, addr, value[0]) }
    }
}

/// Bytes in shared memory where tiles and arrays start: what tensor copies want, and bulk copies more than need.
pub const ALIGN: u32 = 128;

/// Something that has a place in shared memory.
///
/// # Safety
///
/// `at` uses the bytes `addr .. addr + SIZE`, the barriers of `BARRIERS`, `clusterlaunchcontrol` only if `CANCELS`, and
/// nothing else.
///
/// ```
/// use ptx::shared::{Place, SharedArray};
/// // What the launch has to add for three such arrays.
/// const BYTES: u32 = 3 * SharedArray::<f32, 4096>::SIZE;
/// const _: () = assert!(BYTES == 48 * 1024);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no place in shared memory",
    label = "not the handle of something that lies there",
    note = "shared memory holds `SharedArray<T, N>`, `Mbarrier<Uninit>`, `RingMemory<T, N, INPUTS, STAGES>`, `PipelineMemory<S, STAGES>`, `DsmemBuffer<T, N, V>`, \
            `Partials<T>` and one `WorkQueueMemory`; the barriers of `ptx::barrier` stand beside them"
)]
pub unsafe trait Place: Sized {
    /// Its size in bytes.
    const SIZE: u32;
    /// Its alignment in bytes: a power of two, 128 at most.
    const ALIGN: u32;
    /// The barriers of the CTA that it uses: bit `n` is barrier `n`, 1 to 15.
    const BARRIERS: u16 = 0;
    /// Whether it asks for the cancellation of clusters, as one place of a kernel may.
    const CANCELS: bool = false;

    /// The handle of the one that lies at `addr`.
    ///
    /// # Safety
    ///
    /// `addr` is a `.shared::cta` address, aligned to `ALIGN`, of `SIZE` bytes that nothing else uses; nor does anything
    /// else use its `BARRIERS`, or, if it `CANCELS`, `clusterlaunchcontrol`.
    ///
    /// ```
    /// use ptx::shared::{Place, SharedArray};
    /// /// An array and, 256 bytes after its start, another.
    /// struct Pair(SharedArray<f32, 64>, SharedArray<f32, 64>);
    /// // SAFETY: both arrays lie in the 512 bytes, side by side, and 256 is a multiple of their alignment.
    /// unsafe impl Place for Pair {
    ///     const SIZE: u32 = 512;
    ///     const ALIGN: u32 = SharedArray::<f32, 64>::ALIGN;
    ///     unsafe fn at(addr: u32) -> Self {
    ///         // SAFETY: the caller's contract, for each half.
    ///         unsafe { Pair(Place::at(addr), Place::at(addr + 256)) }
    ///     }
    /// }
    /// ```
    unsafe fn at(addr: u32) -> Self;
}

/// The shared memory that a kernel declares: `()`, or a struct made by [`shared_memory!`](crate::shared_memory).
///
/// # Safety
///
/// `claim` gives handles of memory that nothing else uses, if it is called once per thread.
///
/// ```
/// use ptx::launch::Cta;
/// use ptx::shared::SharedArray;
/// // Implements the trait.
/// ptx::shared_memory! { struct Smem { tile: SharedArray<f32, 1024> } }
/// # unsafe fn kernel() {
/// // SAFETY: the kernel's first call.
/// let (cta, smem, _) = unsafe { Cta::enter::<Smem>() };
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not declare shared memory",
    label = "neither `()` nor made by `ptx::shared_memory!`",
    note = "declare it: `ptx::shared_memory! {{ struct Smem {{ tile: SharedArray<f32, 1024> }} }}`"
)]
pub unsafe trait SharedMemory: Sized {
    /// The handles.
    ///
    /// # Safety
    ///
    /// Each thread of a CTA calls it once at most; [`Cta::enter`] does.
    ///
    /// ```
    /// use ptx::shared::{SharedArray, SharedMemory};
    /// ptx::shared_memory! { struct Smem { tile: SharedArray<f32, 1024> } }
    /// # unsafe fn kernel() {
    /// // SAFETY: this thread's one call, in a kernel that does not `enter` with `Smem`.
    /// let smem = unsafe { Smem::claim() };
    /// # }
    /// ```
    unsafe fn claim() -> Self;
}

// SAFETY: no memory.
unsafe impl SharedMemory for () {
    #[inline(always)]
    unsafe fn claim() {}
}

/// What a place needs.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Needs {
    pub size: u32,
    pub align: u32,
    pub barriers: u16,
    pub cancels: bool,
}

/// What a place in shared memory, which begins at a multiple of [`ALIGN`], can be aligned to.
const fn check_align(align: u32) {
    assert!(
        align.is_power_of_two() && align <= ALIGN,
        "shared memory begins at a multiple of 128 bytes: a place in it is aligned to a power of two, 128 at most"
    );
}

/// The offsets of places laid out one after another, and the end of the last. What a CTA has once goes to one of them.
#[doc(hidden)]
pub const fn layout<const FIELDS: usize>(places: [Needs; FIELDS]) -> ([u32; FIELDS], u32) {
    let mut offsets = [0; FIELDS];
    let (mut end, mut i) = (0, 0);
    let (mut barriers, mut cancels) = (0, false);
    while i < FIELDS {
        let place = places[i];
        assert!(
            barriers & place.barriers == 0,
            "two fields have the same barrier: give each a number of its own, 1 to 15"
        );
        assert!(
            !(cancels && place.cancels),
            "two fields ask for the cancellation of clusters: once one was refused, no other may ask (PTX ISA 9.7.13.17)"
        );
        barriers |= place.barriers;
        cancels |= place.cancels;
        check_align(place.align);
        let offset = size::aligned(end, place.align);
        offsets[i] = size::shared(offset);
        end = size::sum(offset, place.size as usize);
        i += 1;
    }
    (offsets, size::shared(end))
}

/// How many fields have these names.
#[doc(hidden)]
pub const fn count(names: &[&str]) -> usize {
    names.len()
}

/// Declares the shared memory of a kernel: a struct whose fields are handles ([`SharedArray`],
/// [`Mbarrier<Uninit>`](crate::mbarrier::Mbarrier), [`RingMemory`](crate::pipeline::RingMemory),
/// [`PipelineMemory`](crate::pipeline::PipelineMemory), [`DsmemBuffer`](crate::cluster::DsmemBuffer), [`Partials`](crate::reduce::Partials),
/// one `WorkQueueMemory` (of `clusterlaunchcontrol`), the barriers of [`barrier`](crate::barrier), each number once).
/// [`Cta::enter`] gives it out. It becomes one `.shared` allocation, aligned to 128 bytes, in the kernels that
/// enter with it, and may hold 48 KiB at most: CUDA gives more only as [`DynamicShared`]. It stands in a module, not in
/// a function. The crate that calls it has
/// `#![feature(asm_experimental_arch)]`: the macro makes inline assembly.
///
/// ```
/// use ptx::mbarrier::{Mbarrier, Uninit};
/// use ptx::shared::SharedArray;
///
/// ptx::shared_memory! {
///     /// A tile, and the mbarrier that its copy completes on.
///     struct Smem { tile: SharedArray<f32, 1024>, bar: Mbarrier<Uninit> }
/// }
/// ```
#[macro_export]
macro_rules! shared_memory {
    ($(#[$doc:meta])* $vis:vis struct $Name:ident { $( $(#[$field_doc:meta])* $field_vis:vis $field:ident: $Place:ty ),* $(,)? }) => {
        $(#[$doc])*
        $vis struct $Name { $( $(#[$field_doc])* $field_vis $field: $Place, )* }

        impl $Name {
            #[doc(hidden)]
            const LAYOUT: (
                [$crate::__private::core::primitive::u32; $crate::shared::count(
                    &[$( $crate::__private::core::stringify!($field) ),*],
                )],
                $crate::__private::core::primitive::u32,
            ) = {
                let layout = $crate::shared::layout([
                    $( $crate::shared::Needs {
                        size: <$Place as $crate::shared::Place>::SIZE,
                        align: <$Place as $crate::shared::Place>::ALIGN,
                        barriers: <$Place as $crate::shared::Place>::BARRIERS,
                        cancels: <$Place as $crate::shared::Place>::CANCELS,
                    } ),*
                ]);
                $crate::__private::core::assert!(
                    layout.1 <= 48 * 1024,
                    "a kernel declares 48 KiB of shared memory at most; take more from `DynamicShared`"
                );
                layout
            };

            /// Its mangled name makes the allocation's name one that no other crate has. Not inlined: otherwise every
            /// codegen unit has a renamed copy, and the asm below refers to a symbol that is not there.
            #[cfg(target_arch = "nvptx64")]
            #[doc(hidden)]
            #[inline(never)]
            extern "C" fn tag() {}
        }

        // Checked on every target, used or not.
        const _: $crate::__private::core::primitive::u32 = $Name::LAYOUT.1;

        #[cfg(target_arch = "nvptx64")]
        $crate::__private::core::arch::global_asm!(
            ".shared .align 128 .b8 {tag}__smem[{size}];",
            tag = sym $Name::tag,
            // Barriers alone take no bytes, but PTX has no array of none.
            size = const if $Name::LAYOUT.1 == 0 { 1 } else { $Name::LAYOUT.1 },
        );

        // SAFETY: `LAYOUT` gives each field bytes of its own in an allocation of this type alone.
        unsafe impl $crate::shared::SharedMemory for $Name {
            #[inline(always)]
            #[allow(unreachable_code)]
            unsafe fn claim() -> Self {
                #[cfg(target_arch = "nvptx64")]
                let base = {
                    let base: $crate::__private::core::primitive::u32;
                    // SAFETY: takes an address.
                    unsafe {
                        $crate::__private::core::arch::asm!(
                            "mov.u32 {base}, {tag}__smem;",
                            base = lateout(reg32) base, tag = sym $Name::tag,
                            options(pure, nomem, nostack, preserves_flags),
                        );
                    }
                    base
                };
                #[cfg(not(target_arch = "nvptx64"))]
                let base: $crate::__private::core::primitive::u32 =
                    $crate::__private::core::panic!("shared memory exists on a GPU only: build for nvptx64-nvidia-cuda");

                let [$( $field ),*] = $Name::LAYOUT.0;
                // SAFETY: see the impl.
                unsafe { $Name { $( $field: <$Place as $crate::shared::Place>::at(base + $field), )* } }
            }
        }
    };
}

/// The shared memory that the launch adds (`sharedMemBytes`), handed out piece by piece.
/// [`bytes_for`](DynamicShared::bytes_for) tells the host how much.
///
/// ```
/// # use ptx::{launch::Cta, mbarrier::{Mbarrier, Uninit}, shared::SharedArray};
/// # unsafe fn kernel() {
/// // SAFETY: the kernel's first call.
/// let (cta, (), dynamic) = unsafe { Cta::enter::<()>() };
/// let (tile, dynamic) = dynamic.take::<SharedArray<f32, 16384>>();
/// let (bar, _) = dynamic.take::<Mbarrier<Uninit>>();
/// # }
/// ```
#[derive(Debug)]
pub struct DynamicShared {
    next: u32,
    end: u32,
    /// Addresses mean something to this CTA only.
    _thread: PhantomData<*mut ()>,
}

static_assertions::assert_not_impl_any!(DynamicShared: Copy, Clone, Send, Sync);

#[cfg(target_arch = "nvptx64")]
core::arch::global_asm!(".extern .shared .align 128 .b8 ptx_dynamic_shared[];");

/// A place that a CTA may have any number of.
const fn bytes_only<P: Place>() {
    assert!(
        P::BARRIERS == 0 && !P::CANCELS,
        "what a CTA has once (a barrier, a queue of clusters) is a field of `shared_memory!`, not taken from `DynamicShared`"
    );
}

impl DynamicShared {
    /// # Safety
    ///
    /// Once per thread.
    #[inline(always)]
    pub(crate) unsafe fn claim() -> Self {
        #[cfg(target_arch = "nvptx64")]
        let next = {
            let next: u32;
            // SAFETY: takes an address.
            unsafe {
                core::arch::asm!(
                    "mov.u32 {next}, ptx_dynamic_shared;",
                    next = lateout(reg32) next,
                    options(pure, nomem, nostack, preserves_flags),
                );
            }
            next
        };
        #[cfg(not(target_arch = "nvptx64"))]
        let next = 0;
        DynamicShared { next, end: next + raw::dynamic_smem_size(), _thread: PhantomData }
    }

    /// Bytes that are left.
    ///
    /// ```
    /// # use ptx::shared::DynamicShared;
    /// # fn kernel(dynamic: &DynamicShared) {
    /// let floats = dynamic.len() / 4;
    /// # }
    /// ```
    #[inline(always)]
    pub fn len(&self) -> u32 {
        self.end - self.next
    }

    /// Whether nothing is left.
    ///
    /// ```
    /// # use ptx::shared::DynamicShared;
    /// # fn kernel(dynamic: &DynamicShared) {
    /// let launched_without = dynamic.is_empty();
    /// # }
    /// ```
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes a place from the front, or gives everything back if it does not fit.
    ///
    /// ```
    /// # use ptx::shared::{DynamicShared, SharedArray};
    /// # fn kernel(dynamic: DynamicShared) {
    /// match dynamic.try_take::<SharedArray<f32, 32768>>() {
    ///     Ok((large, rest)) => { /* one large tile */ }
    ///     Err(dynamic) => {
    ///         let (small, rest) = dynamic.take::<SharedArray<f32, 8192>>();
    ///     }
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn try_take<P: Place>(self) -> Result<(P, DynamicShared), DynamicShared> {
        const { check_align(P::ALIGN) };
        const { bytes_only::<P>() };
        // The block starts at a multiple of 128 below 2^18, so neither sum overflows.
        let addr = self.next.next_multiple_of(P::ALIGN);
        if addr > self.end || self.end - addr < P::SIZE {
            return Err(self);
        }
        // SAFETY: the bytes are in the block, checked against `%dynamic_smem_size`, and `next` moves past them.
        Ok(unsafe { (P::at(addr), DynamicShared { next: addr + P::SIZE, ..self }) })
    }

    /// [`try_take`](DynamicShared::try_take) that traps where the launch gave too little: the host sees
    /// `CUDA_ERROR_ILLEGAL_INSTRUCTION`.
    ///
    /// ```
    /// # use ptx::shared::{DynamicShared, SharedArray};
    /// # fn kernel(dynamic: DynamicShared) {
    /// let (x, dynamic) = dynamic.take::<SharedArray<f32, 1024>>();
    /// let (y, dynamic) = dynamic.take::<SharedArray<f64, 1024>>();
    /// # }
    /// ```
    #[inline(always)]
    pub fn take<P: Place>(self) -> (P, DynamicShared) {
        // Here too, so that a message about what cannot be shows the caller's line.
        const { _ = P::SIZE };
        const { bytes_only::<P>() };
        match self.try_take() {
            Ok(taken) => taken,
            Err(_) => trap(),
        }
    }
}

/// `N` elements of shared memory at rest: no copy is in flight, nobody reads or writes them.
///
/// ```
/// # use ptx::{launch::Cta, shared::SharedArray};
/// # fn kernel(cta: &mut Cta, array: SharedArray<u32, 1024>) {
/// // It is used inside an async scope, and is at rest again after it.
/// let array = cta.async_scope(array, |cta, tile| {
///     let tile = tile.write(cta, |i| i as u32).publish(cta);
///     let next = tile.get(cta.thread_rank() as usize + 1);
///     tile.to_async(cta).into_free()
/// });
/// # }
/// ```
#[derive(Debug)]
pub struct SharedArray<T, const N: usize> {
    addr: u32,
    _elements: PhantomData<*mut [T; N]>,
}

static_assertions::assert_not_impl_any!(SharedArray<u32, 4>: Copy, Clone, Send, Sync);

// SAFETY: `N` elements from `addr` on.
unsafe impl<T: Element, const N: usize> Place for SharedArray<T, N> {
    const SIZE: u32 = size::shared(size::bytes::<T, N>());
    const ALIGN: u32 = ALIGN;

    #[inline(always)]
    unsafe fn at(addr: u32) -> Self {
        SharedArray { addr, _elements: PhantomData }
    }
}

/// Handles that can be lent to the copies of a scope.
///
/// # Safety
///
/// A `InScope<'s>` stands for memory of the async scope `'s`, idle; safe code gets it from `open` alone, and never twice. It gets an `Ended<'s>`
/// only when no operation of its CTA on that memory is in flight, but for copies that another CTA waits for before it ends its own.
///
/// ```
/// # use ptx::{launch::Cta, shared::SharedArray};
/// # fn kernel(cta: &mut Cta, a: SharedArray<f32, 1024>, b: SharedArray<u32, 64>) {
/// // Several handles are lent as a tuple, and come back as one.
/// let (a, b) = cta.async_scope((a, b), |cta, (a, b)| {
///     let b = b.write(cta, |i| i as u32).to_async(cta);
///     (a, b.into_free())
/// });
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be lent to a scope",
    label = "not at rest, or not memory that copies take",
    note = "a scope takes a `SharedArray`, a `RingMemory`, a `PipelineMemory`, an `Mbarrier<Ready>`, a `DsmemBuffer<T, N, V, Ready>`, or a tuple of one to six of them",
    note = "an `Mbarrier<Uninit>` is made ready by `.init(&cta)`, a DSMEM buffer by its `init`; an `Mbarrier<Uninit>` that one thread uses is not lent, but handed to `cta.invoke_one(…)`"
)]
pub unsafe trait Scoped {
    /// The handle inside the scope `'s`.
    type InScope<'s>;
    /// What the last scope gets back ([`Cta::async_scope_last`], [`Cta::cluster_scope_last`]): [`Ended`], or `()` for what holds no memory of
    /// a copy, as an `Mbarrier<Ready>`.
    type Ended<'s>;
    /// Whether other CTAs may use the memory, and the mbarriers in it, from the beginning of a cluster's scope on, before a barrier of the
    /// cluster inside of it.
    #[doc(hidden)]
    const USED_BY_PEERS: bool = true;
    /// Whether bulk copies of other CTAs complete on these mbarriers.
    #[doc(hidden)]
    const FILLED_BY_COPIES: bool = false;
    /// Opens the async scope.
    ///
    /// # Safety
    ///
    /// No other async scope has this `'s`, and what the async scope gives comes back, or is ended, before the kernel ends.
    #[doc(hidden)]
    unsafe fn open<'s>(self) -> Self::InScope<'s>;
    /// Closes it.
    ///
    /// # Safety
    ///
    /// `lent` comes from the async scope that ends.
    #[doc(hidden)]
    unsafe fn give_back(lent: Self::InScope<'_>) -> Self;
}

// SAFETY: a `Shared<'s, …, Free>` is idle, and inside the scope only `open` makes the first one.
unsafe impl<T: Element, const N: usize> Scoped for SharedArray<T, N> {
    type InScope<'s> = Shared<'s, T, N, Free>;
    type Ended<'s> = Ended<'s, Self>;
    const USED_BY_PEERS: bool = false;
    #[inline(always)]
    unsafe fn open<'s>(self) -> Shared<'s, T, N, Free> {
        Shared::new(self.addr)
    }
    #[inline(always)]
    unsafe fn give_back(lent: Shared<'_, T, N, Free>) -> Self {
        SharedArray { addr: lent.addr, _elements: PhantomData }
    }
}

// SAFETY: nothing is lent.
unsafe impl Scoped for () {
    type InScope<'s> = ();
    type Ended<'s> = ();
    const USED_BY_PEERS: bool = false;
    #[inline(always)]
    unsafe fn open<'s>(self) -> Self::InScope<'s> {}
    #[inline(always)]
    unsafe fn give_back(_lent: Self::InScope<'_>) {}
}

macro_rules! lend_tuple {
    ($( ($($H:ident $i:tt),+) )*) => { $(
        // SAFETY: each of its parts is.
        unsafe impl<$($H: Scoped),+> Scoped for ($($H,)+) {
            type InScope<'s> = ($($H::InScope<'s>,)+);
            type Ended<'s> = ($($H::Ended<'s>,)+);
            const USED_BY_PEERS: bool = $($H::USED_BY_PEERS)||+;
            const FILLED_BY_COPIES: bool = $($H::FILLED_BY_COPIES)||+;
            #[inline(always)]
            unsafe fn open<'s>(self) -> Self::InScope<'s> {
                // SAFETY: the caller's contract, for each part.
                unsafe { ($(self.$i.open(),)+) }
            }
            #[inline(always)]
            unsafe fn give_back(lent: Self::InScope<'_>) -> Self {
                // SAFETY: the caller's contract, for each part.
                unsafe { ($($H::give_back(lent.$i),)+) }
            }
        }
    )* };
}
lend_tuple! { (A 0) (A 0, B 1) (A 0, B 1, C 2) (A 0, B 1, C 2, D 3) (A 0, B 1, C 2, D 3, E 4) (A 0, B 1, C 2, D 3, E 4, F 5) }

impl Cta {
    /// Lends memory to the copies that `body` makes. `body` gets the handles in the state [`Free`] and has to
    /// return them so: with a copy in flight it cannot, since the copy holds its handles.
    ///
    /// The scope's lifetime belongs to this call alone, so handles of another scope are no substitute, and none can
    /// leave. `body` gets the CTA as `&mut`: async scopes, scopes of the cluster and calls such as [`invoke_one`](Cta::invoke_one) can stand inside.
    ///
    /// Collective in the CTA.
    ///
    /// ```
    /// # use ptx::{bulk, global::GlobalTile, launch::Cta, mbarrier::{Mbarrier, Ready}, shared::SharedArray};
    /// # fn kernel(cta: &mut Cta, tile: SharedArray<f32, 1024>, bar: Mbarrier<Ready>, src: GlobalTile<f32, 1024>) {
    /// let (tile, bar) = cta.async_scope((tile, bar), |cta, (tile, bar)| {
    ///     let (bar, tile, _src) = bulk::load(cta, bar, tile, src).wait(cta);
    ///     let _first = tile.get(0);
    ///     (tile.release(cta), bar)
    /// });
    /// # }
    /// ```
    #[inline(always)]
    pub fn async_scope<H: Scoped>(
        &mut self,
        handles: H,
        body: impl for<'s> FnOnce(&'s mut Cta, H::InScope<'s>) -> H::InScope<'s>,
    ) -> H {
        // SAFETY: `'s` is this call's alone, so what `body` returns comes from this async scope; until then it does not end.
        unsafe { H::give_back(body(self, handles.open())) }
    }

    /// [`async_scope`](Cta::async_scope) for the last time in this kernel: the memory does not come back, so its state does not matter, and what it
    /// costs to have it idle is saved. With a copy in flight the body cannot return here either. What follows is done by each
    /// thread for itself, since the `Cta` is used up: take what it answers (ranks, counts) before. No [`Warp`](crate::warp::Warp) of it is
    /// left either: what the threads of a warp do together they do in `body`.
    ///
    /// For each handle that is lent, `body` returns what says that its use has ended ([`Scoped::Ended`]):
    ///
    /// - of shared memory, what its `end()` gives, in any state: there is nothing to wait for;
    /// - of the sources of a [`BulkGroup`](crate::bulk::BulkGroup), what `end(cta)` gives. It takes the group, since the leader waits
    ///   until the sources are read; it drops the destinations, which are written when the grid ends. (`wait_read` gives a pair:
    ///   the sources, and the group of the destinations, for which the kernel can still wait);
    /// - of an [`AfterSync`](crate::launch::AfterSync), what its `end()` gives;
    /// - of a ring or a pipeline, what `update_all_last`, `finish_last` or `run_last` give;
    /// - of an `Mbarrier<Ready>`, `()`: it holds no memory of a copy.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{global::{Global, GlobalMut}, launch::Cta, pipeline::RingMemory};
    /// # fn kernel(cta: Cta, ring: RingMemory<f32, 1024, 1, 2>, x: Global<f32>, y: GlobalMut<f32, 1024>) {
    /// let ((x, _), (y, _)) = (x.tiles::<1024>(), y.tiles(&cta));
    /// cta.async_scope_last(ring, |cta, ring| ring.update_all_last(cta, [x], y, |[x], y| x + y));
    /// # }
    /// ```
    #[inline(always)]
    pub fn async_scope_last<H: Scoped>(
        mut self,
        handles: H,
        body: impl for<'s> FnOnce(&'s mut Cta, H::InScope<'s>) -> H::Ended<'s>,
    ) {
        // SAFETY: `'s` is this call's alone; what `body` returns says that nothing of this async scope is in flight, and there is no
        // other async scope, which would hold a `&Cta`.
        let _ended = unsafe { body(&mut self, handles.open()) };
    }
}

/// Memory of the scope `'s` that the kernel does not use again, and that no copy uses either.
///
/// ```
/// # use ptx::{launch::Cta, qualifier::sem, shared::SharedArray};
/// # fn kernel(cta: Cta, bins: SharedArray<u32, 256>, byte: u8, out: &mut u32) {
/// cta.async_scope_last(bins, |cta, bins| {
///     let bins = bins.write(cta, |_| 0).into_atomic(cta);
///     if let Some(bin) = bins.atomic(byte.into()) {
///         bin.add(1, sem::Relaxed);
///     }
///     let bins = bins.publish(cta);
///     *out = bins.get(0).unwrap_or(0);
///     bins.end() // no barrier, and no proxy fence
/// });
/// # }
/// ```
#[must_use = "the last scope has to return it"]
pub struct Ended<'s, Memory> {
    _scope: PhantomData<fn(&'s ()) -> &'s ()>,
    _memory: PhantomData<*mut Memory>,
}

impl<Memory> Ended<'_, Memory> {
    /// No copy is in flight that uses the memory.
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Ended { _scope: PhantomData, _memory: PhantomData }
    }
}

// SAFETY: as `Shared::end`.
unsafe impl<'s, T: Element, const N: usize, State, G> End for Shared<'s, T, N, State, G> {
    type Ended = Ended<'s, SharedArray<T, N>>;
    #[inline(always)]
    fn end(self) -> Self::Ended {
        Shared::end(self)
    }
}
// SAFETY: by the state no thread uses the memory, and a copy would hold the handle; a handle is an address; in both states the async proxy has
// seen every store, so each can stand for the other's memory.
unsafe impl<'s, T: Element, const N: usize, State: AtRest, Of> HandOver<Of> for Shared<'s, T, N, State, Of> {
    type HeldBy<G> = Shared<'s, T, N, State, G>;
    #[inline(always)]
    unsafe fn hand_over<G>(&self) -> Self::HeldBy<G> {
        Shared::new(self.addr)
    }
}
impl<Memory> core::fmt::Debug for Ended<'_, Memory> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Ended")
    }
}

/// State: nobody touches it, and its contents are of no concern. What copies write into.
///
/// ```
/// # use ptx::{launch::Cta, shared::{Free, Shared, Written}};
/// fn zero<'s>(cta: &Cta, tile: Shared<'s, f32, 64, Free>) -> Shared<'s, f32, 64, Written> {
///     tile.write(cta, |_| 0.0)
/// }
/// ```
#[derive(Debug)]
pub enum Free {}
/// State: a copy has filled it and every thread has seen that; readable by all, written by none.
///
/// ```
/// # use ptx::shared::{Loaded, Shared};
/// fn first(tile: &Shared<'_, f32, 64, Loaded>) -> Option<f32> {
///     tile.get(0)
/// }
/// ```
#[derive(Debug)]
pub enum Loaded {}
/// State: each thread has stored its part by ordinary stores, which the others may not see yet.
///
/// ```
/// # use ptx::{launch::Cta, shared::{Published, Shared, Written}};
/// fn show<'s>(cta: &Cta, tile: Shared<'s, f32, 64, Written>) -> Shared<'s, f32, 64, Published> {
///     tile.publish(cta) // `get` needs this
/// }
/// ```
#[derive(Debug)]
pub enum Written {}
/// State: ordinary stores filled it and every thread sees them; readable by all, written by none.
///
/// ```
/// # use ptx::{launch::Cta, shared::{Published, Shared}};
/// fn from_the_other_end(cta: &Cta, tile: &Shared<'_, f32, 64, Published>) -> Option<f32> {
///     tile.get(63 - cta.thread_rank() as usize % 64)
/// }
/// ```
#[derive(Debug)]
pub enum Published {}
/// State: nobody touches it, and what ordinary stores or `cp.async` filled it with is given up: they may fill it again, an
/// asynchronous copy not before a proxy fence.
///
/// ```
/// # use ptx::{launch::Cta, shared::{Published, Shared, FreeGeneric}};
/// fn again<'s>(cta: &Cta, tile: Shared<'s, f32, 64, FreeGeneric>) -> Shared<'s, f32, 64, Published> {
///     tile.write(cta, |_| 1.0).publish(cta)
/// }
/// ```
#[derive(Debug)]
pub enum FreeGeneric {}
/// State: what threads stored is visible to the async proxy; copies may read it.
///
/// ```
/// # use ptx::{bulk::{self, BulkGroup, Uncommitted, Store}, global::GlobalTileMut, launch::Cta};
/// # use ptx::shared::{Fenced, Shared};
/// fn send<'s>(
///     cta: &Cta,
///     tile: Shared<'s, f32, 64, Fenced>,
///     to: GlobalTileMut<f32, 64>,
/// ) -> BulkGroup<Store<'s, f32, 64, Fenced>, Uncommitted> {
///     bulk::store(cta, tile, to)
/// }
/// ```
#[derive(Debug)]
pub enum Fenced {}

/// States in which every thread may read.
#[diagnostic::on_unimplemented(
    message = "shared memory in the state `{Self}` cannot be read",
    label = "not readable now",
    note = "it is readable after the wait for a load (`Loaded`), or, once written, after `.publish(&cta)` (`Published`)"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Readable: Sealed {}
impl Sealed for Loaded {}
impl Sealed for Published {}
impl Readable for Loaded {}
impl Readable for Published {}

/// States in which an asynchronous copy may read the memory.
#[diagnostic::on_unimplemented(
    message = "shared memory in the state `{Self}` cannot be the source of an asynchronous copy",
    label = "the async proxy may not see what is in here",
    note = "ordinary stores reach the async proxy through `fence.proxy.async`: call `.to_async(&cta)` after writing"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait AsyncSource: Sealed {}
impl Sealed for Fenced {}
impl AsyncSource for Fenced {}
impl AsyncSource for Loaded {}

/// States in which an asynchronous copy may overwrite the memory.
#[diagnostic::on_unimplemented(
    message = "shared memory in the state `{Self}` cannot be the destination of an asynchronous copy",
    label = "not free for a copy to write",
    note = "a copy writes into `Free` memory: what was loaded is freed by `.release(&cta)`, what was written by `.to_async(&cta).into_free()`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait AsyncDestination: Sealed {}
impl Sealed for Free {}
impl AsyncDestination for Free {}

/// States in which ordinary stores and `cp.async` may overwrite the memory.
#[diagnostic::on_unimplemented(
    message = "shared memory in the state `{Self}` cannot be overwritten by threads or `cp.async`",
    label = "not free to be filled",
    note = "it is free before it is first filled (`Free`) and after `.release(&cta)` (`Free` or `FreeGeneric`)"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Overwritable: Sealed {}
impl Sealed for FreeGeneric {}
impl Overwritable for Free {}
impl Overwritable for FreeGeneric {}

/// States in which threads have stored, and whose stores are not visible yet.
#[diagnostic::on_unimplemented(
    message = "shared memory in the state `{Self}` has nothing to publish",
    label = "no stores that other threads wait for",
    note = "`.publish(&cta)` is for what threads have stored (`.write(&cta, …)`, `.update(&cta, …)`, `.element_stores()`, `.into_atomic(&cta)`): `Loaded` and `Published` memory is readable as it is"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait ThreadStores: Sealed {}
impl Sealed for Written {}
impl ThreadStores for Written {}

/// States in which no thread reads or writes the memory, behind a barrier, and the async proxy has seen every store.
#[diagnostic::on_unimplemented(
    message = "shared memory in the state `{Self}` cannot be handed to a part of its group",
    label = "other threads may still use it",
    note = "it can be while it is `Free` or `Fenced`: what was loaded is freed by `.release(&cta)`, what was stored by `.to_async(&cta)`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait AtRest: Sealed {}
impl AtRest for Free {}
impl AtRest for Fenced {}

/// States in which there are stores that the async proxy does not see yet.
#[diagnostic::on_unimplemented(
    message = "shared memory in the state `{Self}` has no stores to hand to asynchronous copies",
    label = "nothing for `fence.proxy.async`",
    note = "`.to_async(&cta)` is for what threads have stored (`Written`, `ElementStores`, `VectorStores`, `Published`, `FreeGeneric`, `Atomic`): a copy reads `Loaded` and `Fenced` memory as it is, and writes into `Free` memory; what was loaded is freed by `.release(&cta)`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Unfenced: Sealed {}
impl Unfenced for Written {}
impl Unfenced for Published {}
impl Unfenced for FreeGeneric {}

// What each state is not for.
static_assertions::assert_not_impl_any!(Loaded: AtRest);
static_assertions::assert_not_impl_any!(FreeGeneric: AtRest);
static_assertions::assert_not_impl_any!(Published: AtRest);
static_assertions::assert_not_impl_any!(Written: AtRest);
static_assertions::assert_not_impl_any!(Free: Readable, AsyncSource, ThreadStores, Unfenced);
static_assertions::assert_not_impl_any!(Loaded: AsyncDestination, Overwritable, ThreadStores, Unfenced);
static_assertions::assert_not_impl_any!(Written: Readable, AsyncSource, AsyncDestination, Overwritable);
static_assertions::assert_not_impl_any!(Published: AsyncSource, AsyncDestination, Overwritable, ThreadStores);
static_assertions::assert_not_impl_any!(FreeGeneric: Readable, AsyncSource, AsyncDestination, ThreadStores);
static_assertions::assert_not_impl_any!(Fenced: Readable, AsyncDestination, Overwritable, ThreadStores, Unfenced);

/// `N` elements of shared memory, lent to the scope `'s`, in a state that says who may touch them.
///
/// ```
/// # use ptx::{launch::Cta, shared::{Free, Shared}};
/// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, u32, 1024, Free>) -> Shared<'s, u32, 1024, Free> {
/// let tile = tile.write(cta, |i| i as u32); // `Written`
/// let tile = tile.publish(cta); // `Published`: `get` compiles from here
/// let x = tile.get(17);
/// let tile = tile.to_async(cta); // `Fenced`
/// tile.into_free()
/// # }
/// ```
#[must_use = "the scope has to return this handle: keep it"]
#[derive(Debug)]
pub struct Shared<'s, T, const N: usize, State, G = Cta> {
    addr: u32,
    /// Invariant in `'s`: one scope, one lifetime.
    _scope: PhantomData<fn(&'s ()) -> &'s ()>,
    _elements: PhantomData<(*mut [T; N], State)>,
    _group: PhantomData<fn(&G)>,
}

static_assertions::assert_not_impl_any!(Shared<'static, u32, 4, Free>: Copy, Clone, Send, Sync);

impl<'s, T: Element, const N: usize, State, G> Shared<'s, T, N, State, G> {
    #[inline(always)]
    pub(crate) fn new(addr: u32) -> Self {
        Shared { addr, _scope: PhantomData, _elements: PhantomData, _group: PhantomData }
    }

    #[inline(always)]
    pub(crate) fn into_state<Next>(self) -> Shared<'s, T, N, Next, G> {
        Shared::new(self.addr)
    }

    /// The `.shared::cta` address of the first element.
    ///
    /// ```
    /// # use ptx::shared::{Free, Shared};
    /// # fn kernel(tile: &Shared<'_, f32, 64, Free>) {
    /// let of_element_3 = tile.addr() + 3 * 4;
    /// # }
    /// ```
    #[inline(always)]
    pub fn addr(&self) -> u32 {
        self.addr
    }

    /// The number of elements.
    ///
    /// ```
    /// # use ptx::shared::{Loaded, Shared};
    /// # fn kernel(tile: &Shared<'_, f32, 64, Loaded>) {
    /// let last = tile.get(tile.len() - 1);
    /// # }
    /// ```
    #[inline(always)]
    pub const fn len(&self) -> usize {
        N
    }

    /// Whether there are none.
    ///
    /// ```
    /// # use ptx::shared::{Loaded, Shared};
    /// # fn kernel(tile: &Shared<'_, f32, 64, Loaded>) {
    /// let nothing = tile.is_empty(); // of 64 elements: `false`
    /// # }
    /// ```
    #[inline(always)]
    pub const fn is_empty(&self) -> bool {
        N == 0
    }

    /// Ends the use of the memory, in any state: no copy uses it, since a copy holds its handle. For [`Cta::async_scope_last`] and
    /// [`Cta::cluster_scope_last`].
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn end(self) -> Ended<'s, SharedArray<T, N>> {
        Ended::new()
    }
}

impl<'s, T: Element, const N: usize, State, G: ThreadGroup> Shared<'s, T, N, State, G> {
    /// Element `i`, or `None` past the end.
    ///
    /// PTX: `ld.weak.shared::cta`
    ///
    /// ```
    /// # use ptx::{launch::Cta, shared::{Loaded, Shared}};
    /// # fn kernel(cta: &Cta, tile: &Shared<'_, f32, 64, Loaded>) {
    /// let own = tile.get(cta.thread_rank() as usize).unwrap_or(0.0);
    /// # }
    /// ```
    #[inline(always)]
    pub fn get(&self, i: usize) -> Option<T>
    where
        State: Readable,
    {
        if i >= N {
            return None;
        }
        // SAFETY: in bounds; the state says that nobody writes.
        Some(unsafe { T::load(self.addr + (i * size_of::<T>()) as u32) })
    }

    /// The sixteen bytes that start at byte `16 * i`, or `None` past the end.
    ///
    /// PTX: `ld.weak.shared::cta.v4.b32`, or `.v2.b64`, or `.b128` ([`Element::Vector`])
    ///
    /// ```
    /// # use ptx::{launch::Cta, shared::{Loaded, Shared}};
    /// # fn kernel(cta: &Cta, tile: &Shared<'_, f32, 1024, Loaded>) {
    /// if let Some([a, b, c, d]) = tile.get_vector(cta.thread_rank() as usize) {
    ///     let sum = a + b + c + d;
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn get_vector(&self, i: usize) -> Option<T::Vector>
    where
        State: Readable,
    {
        if i >= const { size::vectors::<T, N>() } {
            return None;
        }
        // SAFETY: in bounds, and aligned since `addr` is to 128; the state says that nobody writes.
        Some(unsafe { T::load_vector(self.addr + 16 * i as u32) })
    }

    /// Waits until all threads have read what they want, then replaces each element `v` at index `i` by `f(i, v)`. Each
    /// thread does its share, sixteen bytes at a time.
    ///
    /// Collective in the group.
    ///
    /// PTX: `barrier.cta.sync.aligned 0;`, per sixteen bytes: `ld.weak.shared::cta.v4.b32`, `st.weak.shared::cta.v4.b32`,
    /// or `.v2.b64`, or `.b128` ([`Element::Vector`])
    ///
    /// ```
    /// # use ptx::{launch::Cta, shared::{Fenced, Loaded, Shared}};
    /// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, f32, 64, Loaded>) -> Shared<'s, f32, 64, Fenced> {
    /// let tile = tile.update(cta, |_, v| 2.0 * v).to_async(cta);
    /// # tile
    /// # }
    /// ```
    #[inline(always)]
    pub fn update(self, group: &G, mut f: impl FnMut(usize, T) -> T) -> Shared<'s, T, N, Written, G>
    where
        State: Readable,
    {
        const { whole_vectors::<T, N>() };
        group.sync();
        for_each_vector::<T, N>(group, |v| {
            // SAFETY: in bounds; each vector has one thread, by the state nobody else writes, and by the barrier nobody reads
            // any more.
            unsafe {
                let addr = self.addr + 16 * v;
                let mut vector = T::load_vector(addr);
                let first = v as usize * vector.as_ref().len();
                for (lane, value) in vector.as_mut().iter_mut().enumerate() {
                    *value = f(first + lane, *value);
                }
                T::store_vector(addr, vector);
            }
        });
        self.into_state()
    }
}

impl<'s, T: Element, const N: usize, G: ThreadGroup> Shared<'s, T, N, Loaded, G> {
    /// Gives up the contents: waits until all threads have read what they want.
    ///
    /// Collective in the group.
    ///
    /// PTX: `barrier.cta.sync.aligned 0;`
    ///
    /// ```
    /// # use ptx::{launch::Cta, shared::{Free, Loaded, Shared}};
    /// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, f32, 64, Loaded>) -> Shared<'s, f32, 64, Free> {
    /// let x = tile.get(5);
    /// let tile = tile.release(cta); // the next load can take it
    /// # tile
    /// # }
    /// ```
    #[inline(always)]
    pub fn release(self, group: &G) -> Shared<'s, T, N, Free, G> {
        sync_with(group, self.release_at_sync())
    }

    /// [`release`](Shared::release), at a barrier that other transitions share.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{launch::Cta, shared::{Free, Loaded, Shared}};
    /// # fn kernel<'s>(cta: &Cta, a: Shared<'s, f32, 64, Loaded>, b: Shared<'s, f32, 64, Loaded>)
    /// # -> (Shared<'s, f32, 64, Free>, Shared<'s, f32, 64, Free>) {
    /// let (a, b) = cta.sync_with((a.release_at_sync(), b.release_at_sync()));
    /// # (a, b) }
    /// ```
    #[inline(always)]
    pub fn release_at_sync(self) -> AfterSync<Shared<'s, T, N, Free, G>, G> {
        AfterSync::new(self.into_state())
    }
}

impl<'s, T: Element, const N: usize, G: ThreadGroup> Shared<'s, T, N, Free, G> {
    /// Fills element `i` with `f(i)`. Each thread does its share, sixteen bytes at a time.
    ///
    /// Collective in the group.
    ///
    /// PTX per sixteen bytes: `st.weak.shared::cta.v4.b32`, or `.v2.b64`, or `.b128` ([`Element::Vector`])
    ///
    /// ```
    /// # use ptx::{launch::Cta, shared::{Free, Published, Shared}};
    /// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, u32, 64, Free>) -> Shared<'s, u32, 64, Published> {
    /// let squares = tile.write(cta, |i| (i * i) as u32).publish(cta);
    /// # squares
    /// # }
    /// ```
    #[inline(always)]
    pub fn write(self, group: &G, mut f: impl FnMut(usize) -> T) -> Shared<'s, T, N, Written, G> {
        const { whole_vectors::<T, N>() };
        for_each_vector::<T, N>(group, |v| {
            let addr = self.addr + 16 * v;
            // SAFETY: in bounds; each vector has one thread, and by the state nobody else touches it. All-zero
            // bits are a value of every element.
            unsafe {
                let mut vector = core::mem::zeroed::<T::Vector>();
                let first = v as usize * vector.as_ref().len();
                for (lane, value) in vector.as_mut().iter_mut().enumerate() {
                    *value = f(first + lane);
                }
                T::store_vector(addr, vector);
            }
        });
        self.into_state()
    }
}

impl<'s, T: Element, const N: usize, State, G: ThreadGroup> Shared<'s, T, N, State, G> {
    /// Makes what every thread stored, by atomic operations too, visible to every thread.
    ///
    /// Collective in the group.
    ///
    /// PTX: `barrier.cta.sync.aligned 0;`
    ///
    /// ```
    /// # use ptx::{launch::Cta, shared::{Published, Shared, Written}};
    /// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, u32, 64, Written>) -> Shared<'s, u32, 64, Published> {
    /// let tile = tile.publish(cta);
    /// let of_another_thread = tile.get(63);
    /// # tile
    /// # }
    /// ```
    #[inline(always)]
    pub fn publish(self, group: &G) -> Shared<'s, T, N, Published, G>
    where
        State: ThreadStores,
    {
        sync_with(group, self.publish_at_sync())
    }

    /// [`publish`](Shared::publish), at a barrier that other transitions share.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{launch::Cta, shared::{Published, Shared, FreeGeneric, Written}};
    /// # fn kernel<'s>(cta: &Cta, old: Shared<'s, u32, 64, Published>, new: Shared<'s, u32, 64, Written>)
    /// # -> (Shared<'s, u32, 64, FreeGeneric>, Shared<'s, u32, 64, Published>) {
    /// let (old, new) = cta.sync_with((old.release_at_sync(), new.publish_at_sync()));
    /// # (old, new) }
    /// ```
    #[inline(always)]
    pub fn publish_at_sync(self) -> AfterSync<Shared<'s, T, N, Published, G>, G>
    where
        State: ThreadStores,
    {
        AfterSync::new(self.into_state())
    }

    /// Makes what every thread stored visible to asynchronous copies, when all threads have read what they want.
    ///
    /// Collective in the group.
    ///
    /// PTX: `fence.proxy.async.shared::cta;` `barrier.cta.sync.aligned 0;`
    ///
    /// ```
    /// # use ptx::{bulk, global::GlobalTileMut, launch::Cta, shared::{Fenced, Shared, Written}};
    /// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, u32, 64, Written>, to: GlobalTileMut<u32, 64>)
    /// # -> Shared<'s, u32, 64, Fenced> {
    /// let tile = tile.to_async(cta);
    /// let (tile, _to) = bulk::store(cta, tile, to).commit(cta).wait(cta);
    /// # tile
    /// # }
    /// ```
    #[inline(always)]
    pub fn to_async(self, group: &G) -> Shared<'s, T, N, Fenced, G>
    where
        State: Unfenced,
    {
        sync_with(group, self.to_async_at_sync())
    }

    /// [`to_async`](Shared::to_async), at a barrier that other transitions share.
    ///
    /// PTX: `fence.proxy.async.shared::cta;`
    ///
    /// ```
    /// # use ptx::{launch::Cta, shared::{Fenced, Free, Loaded, Shared, Written}};
    /// # fn kernel<'s>(cta: &Cta, from: Shared<'s, f32, 64, Loaded>, to: Shared<'s, f32, 64, Written>)
    /// # -> (Shared<'s, f32, 64, Free>, Shared<'s, f32, 64, Fenced>) {
    /// let (from, to) = cta.sync_with((from.release_at_sync(), to.to_async_at_sync()));
    /// # (from, to) }
    /// ```
    #[inline(always)]
    pub fn to_async_at_sync(self) -> AfterSync<Shared<'s, T, N, Fenced, G>, G>
    where
        State: Unfenced,
    {
        raw::fence_proxy_async(space::SharedCta);
        AfterSync::new(self.into_state())
    }
}

impl<'s, T: Element, const N: usize, G: ThreadGroup> Shared<'s, T, N, Published, G> {
    /// Gives up the contents: waits until all threads have read what they want.
    ///
    /// Collective in the group.
    ///
    /// PTX: `barrier.cta.sync.aligned 0;`
    ///
    /// ```
    /// # use ptx::{launch::Cta, shared::SharedArray};
    /// # fn kernel(cta: &mut Cta, tile: SharedArray<u32, 1024>) {
    /// cta.async_scope(tile, |cta, tile| {
    ///     let tile = tile.write(cta, |i| i as u32).publish(cta);
    ///     let _x = tile.get(17);
    ///     // No copy touches it in between: no proxy fence is needed.
    ///     let tile = tile.release(cta).write(cta, |i| 2 * i as u32).publish(cta);
    ///     let _x = tile.get(17);
    ///     tile.to_async(cta).into_free()
    /// });
    /// # }
    /// ```
    #[inline(always)]
    pub fn release(self, group: &G) -> Shared<'s, T, N, FreeGeneric, G> {
        sync_with(group, self.release_at_sync())
    }

    /// [`release`](Shared::release), at a barrier that other transitions share.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn release_at_sync(self) -> AfterSync<Shared<'s, T, N, FreeGeneric, G>, G> {
        AfterSync::new(self.into_state())
    }
}

impl<'s, T: Element, const N: usize, G: ThreadGroup> Shared<'s, T, N, FreeGeneric, G> {
    /// [`write`](Shared::write), over what was there.
    ///
    /// Collective in the group.
    ///
    /// PTX per sixteen bytes: `st.weak.shared::cta.v4.b32`, or `.v2.b64`, or `.b128` ([`Element::Vector`])
    ///
    /// ```
    /// # use ptx::{launch::Cta, shared::{Published, Shared, FreeGeneric}};
    /// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, u32, 64, FreeGeneric>) -> Shared<'s, u32, 64, Published> {
    /// let tile = tile.write(cta, |i| i as u32).publish(cta);
    /// # tile
    /// # }
    /// ```
    #[inline(always)]
    pub fn write(self, group: &G, f: impl FnMut(usize) -> T) -> Shared<'s, T, N, Written, G> {
        self.into_state::<Free>().write(group, f)
    }
}

impl<'s, T: Element, const N: usize, G> Shared<'s, T, N, Fenced, G> {
    /// Gives up the contents, which no thread reads.
    ///
    /// ```
    /// # use ptx::{bulk, global::GlobalTileMut, launch::Cta, shared::{Fenced, Free, Shared}};
    /// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, u32, 64, Fenced>, to: GlobalTileMut<u32, 64>)
    /// # -> Shared<'s, u32, 64, Free> {
    /// let (tile, _writing) = bulk::store(cta, tile, to).commit(cta).wait_read(cta);
    /// let tile = tile.into_free();
    /// # tile
    /// # }
    /// ```
    #[inline(always)]
    pub fn into_free(self) -> Shared<'s, T, N, Free, G> {
        self.into_state()
    }

    /// Lets threads read the contents again: those that a copy loaded, or that were behind the barrier of `to_async`.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{bulk, global::GlobalTileMut, launch::Cta, shared::{Loaded, Shared}};
    /// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, u32, 64, Loaded>, to: GlobalTileMut<u32, 64>)
    /// # -> Shared<'s, u32, 64, Loaded> {
    /// let (tile, _writing) = bulk::store(cta, tile, to).commit(cta).wait_read(cta);
    /// let tile = tile.into_loaded();
    /// let x = tile.get(3);
    /// # tile
    /// # }
    /// ```
    #[inline(always)]
    pub fn into_loaded(self) -> Shared<'s, T, N, Loaded, G> {
        self.into_state()
    }
}

impl<'s, T: Element, const N: usize, G> Shared<'s, T, N, Free, G> {
    /// Takes the contents as they are: those of the last copy, or unspecified ones.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{bulk, global::GlobalTile, launch::Cta, mbarrier::{Mbarrier, Uninit}, shared::{Free, Loaded, Shared}};
    /// # fn kernel<'s>(cta: &mut Cta, tile: Shared<'s, f32, 64, Free>, bar: Mbarrier<Uninit>, src: GlobalTile<f32, 64>)
    /// # -> Shared<'s, f32, 64, Loaded> {
    /// // One thread loads the tile, then all threads read it.
    /// let (tile, _bar) = cta.invoke_one((tile.into_fenced(), bar), |thread, (tile, bar)| {
    ///     let (bar, tile, _) = bulk::load(thread, bar.init(thread), tile.into_free(), src).wait(thread);
    ///     (tile.release(thread).into_fenced(), bar.inval(thread))
    /// });
    /// let tile = tile.into_loaded();
    /// let x = tile.get(cta.thread_rank() as usize);
    /// # tile }
    /// ```
    #[inline(always)]
    pub fn into_fenced(self) -> Shared<'s, T, N, Fenced, G> {
        self.into_state()
    }

    /// The memory as threads have it that share it without copies, and write it again each round.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{launch::Cta, shared::{Free, Shared, FreeGeneric}};
    /// # fn kernel<'s>(cta: &Cta, words: Shared<'s, u32, 64, Free>, rounds: u32) -> Shared<'s, u32, 64, FreeGeneric> {
    /// let mut words = words.into_free_generic();
    /// for round in 0..rounds {
    ///     let published = words.write(cta, |i| i as u32 ^ round).publish(cta);
    ///     let _other = published.get(63 - cta.thread_rank() as usize % 64);
    ///     words = published.release(cta);
    /// }
    /// # words }
    /// ```
    #[inline(always)]
    pub fn into_free_generic(self) -> Shared<'s, T, N, FreeGeneric, G> {
        self.into_state()
    }
}

/// Each thread's stores to shared memory, visible to copies that any thread starts after.
#[inline(always)]
pub(crate) fn fence_async(group: &impl ThreadGroup) {
    raw::fence_proxy_async(space::SharedCta);
    group.sync();
}

pub(crate) const fn whole_vectors<T, const N: usize>() {
    assert!(N > 0, "an array that threads fill has at least one element");
    assert!(
        size::bytes::<T, N>().is_multiple_of(16),
        "threads fill an array by 16 bytes at a time: choose an array of a multiple of 16 bytes"
    );
}

/// Calls `f` with each sixteen-byte vector of the array that is this thread's.
#[inline(always)]
pub(crate) fn for_each_vector<T, const N: usize>(group: &impl ThreadGroup, f: impl FnMut(u32)) {
    for_each_own(group, const { size::shared(size::vectors::<T, N>()) }, f);
}

/// Calls `f` with each number below `count` that is this thread's: `rank`, `rank + threads`, … The rounds in which every thread has one
/// are counted in what all threads have in common, so that LLVM knows how many they are when it knows the block.
#[inline(always)]
pub(crate) fn for_each_own(group: &impl ThreadGroup, count: u32, mut f: impl FnMut(u32)) {
    let (rank, threads) = (group.thread_rank(), group.thread_count());
    let mut first = 0;
    while first + threads <= count {
        f(first + rank);
        first += threads;
    }
    if first + rank < count {
        f(first + rank);
    }
}
