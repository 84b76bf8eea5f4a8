//! Shared memory (`__shared__`): declared by the kernel ([`shared_memory!`](crate::shared_memory)) or added by the launch
//! ([`DynamicShared`]), and accessed through handles whose type states who may access the memory.
//!
//! A [`SharedArray`] is memory at rest. [`Cta::async_scope`] lends it to a closure as a [`Shared`] in the state [`Free`], which
//! bulk async copies (TMA) accept. The closure has to return the handle, and a copy in flight owns its handles. So no copy is in
//! flight when the closure ends, even if the closure forgets a handle.
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
//! Memory that only threads and [`cp_async`](crate::cp_async) fill needs no proxy fence:
//!
//! ```text
//!   Free, FreeGeneric ── cp_async::load, wait, or write, publish ──► Published ── release ──► FreeGeneric
//!                                          to_async: Published, FreeGeneric ─► Fenced
//! ```

use core::marker::PhantomData;

use crate::group::{AfterSync, Brand, Cta, End, HandOver, ThreadGroup, sync_with};
use crate::qualifier::{B128, Sealed, space, ty};
use crate::raw;
use crate::size;
use crate::trap::trap_because;

mod layout;
mod places;
#[macro_use]
mod states;
mod stores;
mod thread_vectors;
mod view;

pub use layout::Swizzle;
pub use places::Places;
pub use states::*;
pub use thread_vectors::{ThreadVector, ThreadVectors};
pub use view::View2d;

/// A plain-data element of shared memory: any bit pattern is a value (as `bytemuck::Pod`).
///
/// # Safety
///
/// Implemented in this crate only.
///
/// 1. The type has 1, 2, 4, 8 or 16 bytes, without padding or invalid values.
/// 2. `Vector` is an array of `Self` with 16 bytes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an element of shared memory",
    label = "not a plain number",
    note = "a copy can leave any bits in an element, so an element is an integer of 8 to 64 bits, `f32`, `f64` or `B128`; with the feature `half`, also `half::f16`, `half::bf16` or an array of two of them"
)]
pub unsafe trait Element: Copy + Sealed + 'static {
    /// Sixteen bytes of elements, as `float4`, moved by one instruction: `.v4.b32`, `.v2.b64` for elements of 64 bits, or `.b128`
    /// for elements of 128 bits.
    type Vector: Copy + AsRef<[Self]> + AsMut<[Self]>;

    /// Loads one element from the shared memory of the executing CTA.
    ///
    /// # Safety
    ///
    /// `addr` is the `.shared::cta` address of an element, aligned to the element's size. No thread and no copy writes the
    /// element at the same time.
    unsafe fn load(addr: u32) -> Self;

    /// Stores one element in the shared memory of the executing CTA.
    ///
    /// # Safety
    ///
    /// As [`load`](Element::load). No thread and no copy reads the element at the same time either.
    unsafe fn store(addr: u32, value: Self);

    /// Loads sixteen bytes of elements from the shared memory of the executing CTA.
    ///
    /// # Safety
    ///
    /// As [`load`](Element::load), for sixteen bytes aligned to 16.
    unsafe fn load_vector(addr: u32) -> Self::Vector;

    /// Stores sixteen bytes of elements in the shared memory of the executing CTA.
    ///
    /// # Safety
    ///
    /// As [`store`](Element::store), for sixteen bytes aligned to 16.
    unsafe fn store_vector(addr: u32, value: Self::Vector);

    /// Loads one element from the shared memory of any CTA of the cluster (distributed shared memory, DSMEM).
    ///
    /// # Safety
    ///
    /// As [`load`](Element::load), for a `.shared::cluster` address in a CTA that has not exited.
    ///
    /// ```
    /// # use ptx::{raw, shared::{Element, Published, Shared}};
    /// # unsafe fn kernel(tile: &Shared<'_, u32, 64, Published>) {
    /// // SAFETY: CTA 1 publishes its tile before a cluster barrier that this thread has passed, and exits after a later one.
    /// let x = unsafe { u32::load_cluster(raw::mapa_shared_cluster(tile.addr(), 1)) };
    /// # }
    /// ```
    unsafe fn load_cluster(addr: u32) -> Self;

    /// Stores one element in the shared memory of any CTA of the cluster (DSMEM).
    ///
    /// # Safety
    ///
    /// As [`store`](Element::store), for a `.shared::cluster` address in a CTA that has not exited.
    unsafe fn store_cluster(addr: u32, value: Self);

    /// Loads sixteen bytes of elements from the shared memory of any CTA of the cluster (DSMEM).
    ///
    /// # Safety
    ///
    /// As [`load_vector`](Element::load_vector), for a `.shared::cluster` address in a CTA that has not exited.
    unsafe fn load_vector_cluster(addr: u32) -> Self::Vector;

    /// Stores sixteen bytes of elements in the shared memory of any CTA of the cluster (DSMEM).
    ///
    /// # Safety
    ///
    /// As [`store_vector`](Element::store_vector), for a `.shared::cluster` address in a CTA that has not exited.
    unsafe fn store_vector_cluster(addr: u32, value: Self::Vector);
}

/// Reinterprets the bits of a value as another type of the same size.
///
/// # Safety
///
/// Both types are plain data.
#[inline(always)]
pub(crate) unsafe fn bits<From: Copy, To: Copy>(from: From) -> To {
    const { assert!(size_of::<From>() == size_of::<To>()) };
    // SAFETY: the sizes are equal (asserted), and any bit pattern is a value of `To` (`# Safety`).
    unsafe { core::mem::transmute_copy(&from) }
}

macro_rules! elements {
    ($( $T:ty: $lanes:literal, $Bits:ident, $ld_vector:ident $st_vector:ident $VectorBits:ident; )*) => { $(
        impl Sealed for $T {}
        // SAFETY: a number, or two numbers, without padding and without invalid values.
        unsafe impl Element for $T {
            type Vector = [$T; $lanes];
            #[inline(always)]
            unsafe fn load(addr: u32) -> Self {
                // SAFETY: the caller keeps the contract of `ld` (`# Safety`); both types are plain data of one size.
                unsafe { bits(raw::ld_weak(space::SharedCta, ty::$Bits, addr)) }
            }
            #[inline(always)]
            unsafe fn store(addr: u32, value: Self) {
                // SAFETY: the caller keeps the contract of `st` (`# Safety`); both types are plain data of one size.
                unsafe { raw::st_weak(space::SharedCta, ty::$Bits, addr, bits(value)) }
            }
            #[inline(always)]
            unsafe fn load_vector(addr: u32) -> Self::Vector {
                // SAFETY: the caller keeps the contract of `ld` (`# Safety`); both types are plain data of sixteen bytes.
                unsafe { bits(raw::$ld_vector(space::SharedCta, ty::$VectorBits, addr)) }
            }
            #[inline(always)]
            unsafe fn store_vector(addr: u32, value: Self::Vector) {
                // SAFETY: the caller keeps the contract of `st` (`# Safety`); both types are plain data of sixteen bytes.
                unsafe { raw::$st_vector(space::SharedCta, ty::$VectorBits, addr, bits(value)) }
            }
            #[inline(always)]
            unsafe fn load_cluster(addr: u32) -> Self {
                // SAFETY: the caller keeps the contract of `ld` (`# Safety`); both types are plain data of one size.
                unsafe { bits(raw::ld_weak(space::SharedCluster, ty::$Bits, addr)) }
            }
            #[inline(always)]
            unsafe fn store_cluster(addr: u32, value: Self) {
                // SAFETY: the caller keeps the contract of `st` (`# Safety`); both types are plain data of one size.
                unsafe { raw::st_weak(space::SharedCluster, ty::$Bits, addr, bits(value)) }
            }
            #[inline(always)]
            unsafe fn load_vector_cluster(addr: u32) -> Self::Vector {
                // SAFETY: the caller keeps the contract of `ld` (`# Safety`); both types are plain data of sixteen bytes.
                unsafe { bits(raw::$ld_vector(space::SharedCluster, ty::$VectorBits, addr)) }
            }
            #[inline(always)]
            unsafe fn store_vector_cluster(addr: u32, value: Self::Vector) {
                // SAFETY: the caller keeps the contract of `st` (`# Safety`); both types are plain data of sixteen bytes.
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
// SAFETY: two integers of 64 bits, without padding.
#[diagnostic::do_not_recommend]
unsafe impl Element for B128 {
    type Vector = [B128; 1];
    #[inline(always)]
    unsafe fn load(addr: u32) -> Self {
        // SAFETY: the caller keeps the contract of `ld` (`# Safety`).
        unsafe { raw::ld_weak_b128(space::SharedCta, addr) }
    }
    #[inline(always)]
    unsafe fn store(addr: u32, value: Self) {
        // SAFETY: the caller keeps the contract of `st` (`# Safety`).
        unsafe { raw::st_weak_b128(space::SharedCta, addr, value) }
    }
    #[inline(always)]
    unsafe fn load_vector(addr: u32) -> Self::Vector {
        // SAFETY: the caller keeps the contract of `ld` (`# Safety`); one element has sixteen bytes.
        unsafe { [raw::ld_weak_b128(space::SharedCta, addr)] }
    }
    #[inline(always)]
    unsafe fn store_vector(addr: u32, value: Self::Vector) {
        // SAFETY: the caller keeps the contract of `st` (`# Safety`); one element has sixteen bytes.
        unsafe { raw::st_weak_b128(space::SharedCta, addr, value[0]) }
    }
    #[inline(always)]
    unsafe fn load_cluster(addr: u32) -> Self {
        // SAFETY: the caller keeps the contract of `ld` (`# Safety`).
        unsafe { raw::ld_weak_b128(space::SharedCluster, addr) }
    }
    #[inline(always)]
    unsafe fn store_cluster(addr: u32, value: Self) {
        // SAFETY: the caller keeps the contract of `st` (`# Safety`).
        unsafe { raw::st_weak_b128(space::SharedCluster, addr, value) }
    }
    #[inline(always)]
    unsafe fn load_vector_cluster(addr: u32) -> Self::Vector {
        // SAFETY: the caller keeps the contract of `ld` (`# Safety`); one element has sixteen bytes.
        unsafe { [raw::ld_weak_b128(space::SharedCluster, addr)] }
    }
    #[inline(always)]
    unsafe fn store_vector_cluster(addr: u32, value: Self::Vector) {
        // SAFETY: the caller keeps the contract of `st` (`# Safety`); one element has sixteen bytes.
        unsafe { raw::st_weak_b128(space::SharedCluster, addr, value[0]) }
    }
}

/// The alignment of tiles and arrays in shared memory, in bytes: tensor copies need 128, bulk copies need 16.
pub const ALIGN: u32 = 128;

/// A handle of something that a kernel can place in shared memory ([`shared_memory!`](crate::shared_memory), [`DynamicShared`]):
/// an array, an mbarrier, the stages of a pipeline.
///
/// # Safety
///
/// `at` uses only the bytes `addr .. addr + SIZE`, the barriers of `BARRIERS` and, if `CANCELS`, `clusterlaunchcontrol`.
///
/// ```
/// use ptx::shared::{Place, SharedArray};
/// /// An array, and another array 256 bytes after the start of the first.
/// struct Pair(SharedArray<f32, 64>, SharedArray<f32, 64>);
/// // SAFETY: both arrays lie in the 512 bytes, side by side, and 256 is a multiple of their alignment.
/// unsafe impl Place for Pair {
///     const SIZE: u32 = 512;
///     const ALIGN: u32 = SharedArray::<f32, 64>::ALIGN;
///     unsafe fn at(addr: u32) -> Self {
///         // SAFETY: each array gets its 256 bytes of the 512 that the caller passes.
///         unsafe { Pair(Place::at(addr), Place::at(addr + 256)) }
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no place in shared memory",
    label = "not a handle of shared memory",
    note = "shared memory holds `SharedArray<T, N>`, `Mbarrier<Uninit>`, `RingMemory<T, N, INPUTS, STAGES>`, `PipelineMemory<S, STAGES>`, `DsmemBuffer<T, N, V>`, \
            `ReduceMemory<T>` and one `WorkQueueMemory`; the fields of `shared_memory!` can also be the barriers of `ptx::barrier`"
)]
pub unsafe trait Place: Sized {
    /// The number of bytes of shared memory that the object takes.
    const SIZE: u32;
    /// The alignment of the object in shared memory, in bytes: a power of two, 128 at most.
    const ALIGN: u32;
    /// The named barriers that the object uses (`barrier.cta`), as a mask: bit `n` stands for barrier `n`, 1 to 15.
    const BARRIERS: u16 = 0;
    /// Whether the object requests cancellation of clusters (`clusterlaunchcontrol`), as one object of a kernel may.
    const CANCELS: bool = false;

    /// Makes the handle of the object that lies at the shared memory address `addr`.
    ///
    /// # Safety
    ///
    /// `addr` is a `.shared::cta` address, aligned to `ALIGN`, of `SIZE` bytes. Nothing else uses these bytes, the `BARRIERS` or,
    /// if the place `CANCELS`, `clusterlaunchcontrol`.
    unsafe fn at(addr: u32) -> Self;
}

/// The static shared memory of a kernel: `()`, or a struct declared by [`shared_memory!`](crate::shared_memory).
///
/// # Safety
///
/// If each thread calls `claim` once at most, nothing else uses the memory of the handles that `claim` gives.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not declare shared memory",
    label = "neither `()` nor made by `ptx::shared_memory!`",
    note = "declare it: `ptx::shared_memory! {{ struct Smem {{ tile: SharedArray<f32, 1024> }} }}`"
)]
pub unsafe trait SharedMemory: Sized {
    /// Returns the handles of the kernel's static shared memory.
    ///
    /// # Safety
    ///
    /// Each thread of a CTA makes this call once at most. [`Cta::enter`] makes it.
    unsafe fn claim() -> Self;
}

// SAFETY: `()` has no memory.
unsafe impl SharedMemory for () {
    #[inline(always)]
    unsafe fn claim() {}
}

/// What a [`Place`] needs: bytes of shared memory, their alignment, named barriers, `clusterlaunchcontrol`.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Needs {
    pub size: u32,
    pub align: u32,
    pub barriers: u16,
    pub cancels: bool,
}

/// Asserts that a place can have this alignment. Shared memory starts at a multiple of [`ALIGN`].
const fn check_align(align: u32) {
    assert!(
        align.is_power_of_two() && align <= ALIGN,
        "shared memory starts at a multiple of 128 bytes: choose a `Place::ALIGN` that is a power of two, 128 at most"
    );
}

/// Lays objects out one after another in shared memory: returns their offsets, and the end of the last object. Asserts that no
/// two objects use the same barrier, or `clusterlaunchcontrol`.
#[doc(hidden)]
pub const fn layout<const FIELDS: usize>(places: [Needs; FIELDS]) -> ([u32; FIELDS], u32) {
    let mut offsets = [0; FIELDS];
    let (mut end, mut i) = (0, 0);
    let (mut barriers, mut cancels) = (0, false);
    while i < FIELDS {
        let place = places[i];
        assert!(
            barriers & place.barriers == 0,
            "two fields use the same barrier: give each barrier a number of its own, 1 to 15"
        );
        assert!(
            !(cancels && place.cancels),
            "two fields request cancellation of clusters, which is undefined once a request has failed: declare one queue (PTX ISA 9.7.13.17)"
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

/// Returns the number of fields of a struct of [`shared_memory!`](crate::shared_memory), from their names.
#[doc(hidden)]
pub const fn count(names: &[&str]) -> usize {
    names.len()
}

/// Declares the static shared memory of a kernel (`__shared__`): a struct whose fields are handles, which [`Cta::enter`] gives
/// out.
///
/// A field is a [`SharedArray`], an [`Mbarrier<Uninit>`](crate::mbarrier::Mbarrier), a
/// [`RingMemory`](crate::pipeline::RingMemory), a [`PipelineMemory`](crate::pipeline::PipelineMemory), a
/// [`DsmemBuffer`](crate::cluster::DsmemBuffer), a [`ReduceMemory`](crate::reduce::ReduceMemory), a named barrier of
/// [`barrier`](crate::barrier), each number once, or one `WorkQueueMemory` (of `clusterlaunchcontrol`).
///
/// The struct becomes one `.shared` allocation, aligned to 128 bytes, in the kernels that enter with the struct. It has 48 KiB at
/// most: CUDA gives more only as [`DynamicShared`]. The macro stands in a module, not in a function, and expands to inline
/// assembly: the calling crate has `#![feature(asm_experimental_arch)]`.
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
                    "a kernel declares 48 KiB of shared memory at most: take one place out, and give it a parameter with `#[dynamic]`"
                );
                layout
            };

            /// The mangled name of this function makes the symbol of the allocation unique among crates. Not inlined: inlining
            /// gives every codegen unit a renamed copy, and the assembly below names a missing symbol.
            #[cfg(target_arch = "nvptx64")]
            #[doc(hidden)]
            #[inline(never)]
            extern "C" fn tag() {}
        }

        // Checks the layout on every target, also of an unused struct.
        const _: $crate::__private::core::primitive::u32 = $Name::LAYOUT.1;

        #[cfg(target_arch = "nvptx64")]
        $crate::__private::core::arch::global_asm!(
            ".shared .align 128 .b8 {tag}__smem[{size}];",
            tag = sym $Name::tag,
            // Named barriers take no bytes, and PTX has no array of zero bytes.
            size = const if $Name::LAYOUT.1 == 0 { 1 } else { $Name::LAYOUT.1 },
        );

        // SAFETY: `LAYOUT` gives each field bytes of its own, in an allocation of this struct alone.
        unsafe impl $crate::shared::SharedMemory for $Name {
            #[inline(always)]
            #[allow(unreachable_code)]
            unsafe fn claim() -> Self {
                #[cfg(target_arch = "nvptx64")]
                let base = {
                    let base: $crate::__private::core::primitive::u32;
                    // SAFETY: `mov` of a symbol's address accesses no memory.
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
                // SAFETY: `LAYOUT` gives each field aligned bytes of its own, and each thread claims them once (`# Safety`).
                unsafe { $Name { $( $field: <$Place as $crate::shared::Place>::at(base + $field), )* } }
            }
        }
    };
}

/// The dynamic shared memory of the launch (`extern __shared__`, `sharedMemBytes`), from which a kernel takes one object (an
/// array, an mbarrier …) after another.
///
/// All threads of the CTA take the same objects in the same order. On the host [`bytes_for`](DynamicShared::bytes_for) computes
/// the size for the launch.
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
    /// The addresses are valid in this CTA only.
    _thread: PhantomData<*mut ()>,
}

#[cfg(target_arch = "nvptx64")]
core::arch::global_asm!(".extern .shared .align 128 .b8 ptx_dynamic_shared[];");

/// Asserts that a CTA may have any number of places of this type.
const fn bytes_only<P: Place>() {
    assert!(
        P::BARRIERS == 0 && !P::CANCELS,
        "a CTA has a barrier or a queue of clusters only once: declare it as a field of `shared_memory!`, not in `DynamicShared`"
    );
}

impl DynamicShared {
    /// Gives the whole dynamic shared memory of the launch.
    ///
    /// # Safety
    ///
    /// Each thread makes this call once at most.
    #[inline(always)]
    pub(crate) unsafe fn claim() -> Self {
        #[cfg(target_arch = "nvptx64")]
        let next = {
            let next: u32;
            // SAFETY: `mov` of a symbol's address accesses no memory.
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

    /// Returns the number of bytes of dynamic shared memory that are not taken yet.
    #[inline(always)]
    pub fn len(&self) -> u32 {
        self.end - self.next
    }

    /// Whether all bytes of the dynamic shared memory are taken.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes an object (an array, an mbarrier, memory of a ring …) from the front of the memory, aligned as its type wants, and
    /// returns the object and the rest of the memory; or returns the memory unchanged if the object does not fit.
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
        // Neither sum overflows: `next` is below 2^18, and the second sum is `end` at most.
        let addr = self.next.next_multiple_of(P::ALIGN);
        if addr > self.end || self.end - addr < P::SIZE {
            return Err(self);
        }
        // SAFETY: the aligned bytes lie in the launch's memory (`%dynamic_smem_size`), and `next` moves past them.
        Ok(unsafe { (P::at(addr), DynamicShared { next: addr + P::SIZE, ..self }) })
    }

    /// Takes an object from the front of the memory, or traps if the object does not fit: the host sees
    /// `CUDA_ERROR_ILLEGAL_INSTRUCTION`. [`try_take`](DynamicShared::try_take) does not trap.
    #[inline(always)]
    pub fn take<P: Place>(self) -> (P, DynamicShared) {
        // Asserted here as well as in `try_take`, so that an error shows the caller's line.
        const { _ = P::SIZE };
        const { bytes_only::<P>() };
        match self.try_take() {
            Ok(taken) => taken,
            Err(_) => trap_because!("the launch gives too few bytes of dynamic shared memory"),
        }
    }
}

/// An array of `N` elements in shared memory (`__shared__ T a[N]`), at rest: no copy is in flight, no thread reads or writes.
///
/// [`Cta::async_scope`] lends the array to threads and copies, as a [`Shared`].
#[derive(Debug)]
pub struct SharedArray<T, const N: usize> {
    addr: u32,
    _elements: PhantomData<*mut [T; N]>,
}

// SAFETY: the handle uses `N` elements from `addr` on, which are `SIZE` bytes.
unsafe impl<T: Element, const N: usize> Place for SharedArray<T, N> {
    const SIZE: u32 = size::shared(size::bytes::<T, N>());
    const ALIGN: u32 = ALIGN;

    #[inline(always)]
    unsafe fn at(addr: u32) -> Self {
        SharedArray { addr, _elements: PhantomData }
    }
}

/// Handles of shared memory that [`Cta::async_scope`] and [`Cta::cluster_scope`] lend to their closures for asynchronous copies,
/// and return when these copies are complete. A tuple of one to six handles is lent as one.
///
/// # Safety
///
/// - An `InScope<'s>` stands for idle memory of the scope `'s`. Safe code gets it from `open` alone, which it calls once for each scope.
/// - Safe code gets an `Ended<'s>` only when no operation of its CTA on the memory is in flight. The exception is a copy that
///   another CTA waits for before that CTA gets its own `Ended`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be lent to a scope",
    label = "not a handle at rest",
    note = "a scope takes a `SharedArray`, a `RingMemory`, a `PipelineMemory`, an `Mbarrier<Ready>`, a `DsmemBuffer<T, N, V, Ready>`, or a tuple of one to six of them",
    note = "`.init(&cta)` makes an `Mbarrier<Uninit>` ready, `init` a DSMEM buffer; hand an `Mbarrier<Uninit>` that one thread uses to `cta.invoke_one(…)` instead"
)]
pub unsafe trait Scoped {
    /// The handle inside the scope `'s`.
    type InScope<'s>;
    /// The proof that a last scope asks for ([`Cta::async_scope_last`], [`Cta::cluster_scope_last`]): an [`Ended`], or `()` for a
    /// handle without memory of a copy, such as an `Mbarrier<Ready>`.
    type Ended<'s>;
    /// Whether other CTAs may use the memory, or the mbarriers in it, from the start of a cluster scope on, before the first
    /// cluster barrier inside the scope.
    #[doc(hidden)]
    const USED_BY_PEERS: bool = true;
    /// Whether bulk copies of other CTAs complete on the mbarriers of the handle.
    #[doc(hidden)]
    const FILLED_BY_COPIES: bool = false;
    /// Lends the handle to the scope `'s`.
    ///
    /// # Safety
    ///
    /// No other scope has this `'s`. The handle that `open` gives comes back, or its use is ended, before the kernel ends.
    #[doc(hidden)]
    unsafe fn open<'s>(self) -> Self::InScope<'s>;
    /// Takes the lent handle back at the end of its scope.
    ///
    /// # Safety
    ///
    /// `lent` comes from the scope that ends.
    #[doc(hidden)]
    unsafe fn give_back(lent: Self::InScope<'_>) -> Self;
}

// SAFETY: `open` alone makes the first `Shared` of a scope, in an idle state; a copy in flight owns its `Shared`.
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

// SAFETY: `()` lends no memory.
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
        // SAFETY: each part of the tuple is `Scoped`.
        unsafe impl<$($H: Scoped),+> Scoped for ($($H,)+) {
            type InScope<'s> = ($($H::InScope<'s>,)+);
            type Ended<'s> = ($($H::Ended<'s>,)+);
            const USED_BY_PEERS: bool = $($H::USED_BY_PEERS)||+;
            const FILLED_BY_COPIES: bool = $($H::FILLED_BY_COPIES)||+;
            #[inline(always)]
            unsafe fn open<'s>(self) -> Self::InScope<'s> {
                // SAFETY: the caller's contract (`# Safety` of `open`) covers each part.
                unsafe { ($(self.$i.open(),)+) }
            }
            #[inline(always)]
            unsafe fn give_back(lent: Self::InScope<'_>) -> Self {
                // SAFETY: the caller's contract (`# Safety` of `give_back`) covers each part.
                unsafe { ($($H::give_back(lent.$i),)+) }
            }
        }
    )* };
}
lend_tuple! { (A 0) (A 0, B 1) (A 0, B 1, C 2) (A 0, B 1, C 2, D 3) (A 0, B 1, C 2, D 3, E 4) (A 0, B 1, C 2, D 3, E 4, F 5) }

impl Cta {
    /// Lends shared memory to `body` for async copies (TMA, `cp.async`), and returns the memory when no copy is in flight.
    ///
    /// `body` gets each array as a [`Shared`] in the state [`Free`] and returns it in that state. With a copy in flight `body`
    /// cannot return: the copy owns its handles. The lifetime `'s` belongs to this call alone, so handles of another scope are
    /// not accepted, and no handle leaves the scope. `body` gets the CTA as `&mut`, so it can open async scopes and cluster
    /// scopes, and make calls such as [`invoke_one`](Cta::invoke_one).
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
    #[track_caller]
    pub fn async_scope<H: Scoped>(
        &mut self,
        handles: H,
        body: impl for<'s> FnOnce(&'s mut Cta, H::InScope<'s>) -> H::InScope<'s>,
    ) -> H {
        meet!(self);
        // SAFETY: `'s` belongs to this call alone, so `body` returns the handles of this scope, which ends after `body`.
        unsafe { H::give_back(body(self, handles.open())) }
    }

    /// Runs `body` as the kernel's last [`async_scope`](Cta::async_scope): the memory does not come back, so `body` needs no
    /// barrier and no fence to leave it idle.
    ///
    /// With a copy in flight `body` cannot return. The call uses the `Cta` up: each thread continues alone, without the
    /// [`Warp`](crate::warp::Warp)s of the CTA. Read ranks and counts before the call, and make the collective calls of a warp in
    /// `body`.
    ///
    /// For each lent handle `body` returns proof that its use has ended ([`Scoped::Ended`]):
    ///
    /// - for shared memory, the result of `end()`, in any state and without a wait;
    /// - for the sources of a [`BulkGroup`](crate::bulk::BulkGroup), the result of `end(cta)`: the leader waits until the copies
    ///   have read the sources. `end` drops the destinations, which are written by the end of the grid. (`wait_read` returns a
    ///   pair instead: the sources, and the group of the destinations, for which the kernel can still wait);
    /// - for an [`AfterSync`](crate::launch::AfterSync), the result of `end()`;
    /// - for a ring or a pipeline, the result of `update_all_last`, `finish_last` or `run_last`;
    /// - for an `Mbarrier<Ready>`, `()`: an mbarrier holds no memory of a copy.
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
    #[track_caller]
    pub fn async_scope_last<H: Scoped>(
        mut self,
        handles: H,
        body: impl for<'s> FnOnce(&'s mut Cta, H::InScope<'s>) -> H::Ended<'s>,
    ) {
        meet!(self);
        // SAFETY: `'s` belongs to this call alone. The result of `body` proves that no copy of this scope is in flight, and no
        // outer scope is open: it would borrow the `Cta`, which this call owns.
        let _ended = unsafe { body(&mut self, handles.open()) };
    }
}

/// Proof that a kernel has ended its use of memory of the scope `'s`, for [`Cta::async_scope_last`] and
/// [`Cta::cluster_scope_last`]: the kernel does not use the memory again, and no copy uses it.
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
#[must_use = "return it from the body of the last scope"]
pub struct Ended<'s, Memory> {
    _scope: Brand<'s>,
    _memory: PhantomData<*mut Memory>,
}

impl<Memory> Ended<'_, Memory> {
    /// The caller asserts that no copy in flight uses the memory.
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Ended { _scope: PhantomData, _memory: PhantomData }
    }
}

// SAFETY: a copy in flight owns its `Shared`, so no copy uses this memory.
unsafe impl<'s, T: Element, const N: usize, State, G> End for Shared<'s, T, N, State, G> {
    type Ended = Ended<'s, SharedArray<T, N>>;
    #[inline(always)]
    fn end(self) -> Self::Ended {
        Shared::end(self)
    }
}
// SAFETY: in an `AtRest` state no thread uses the memory, and a copy would own the handle. A handle is an address, and in both
// states the async proxy has seen every store: handles that differ only in state are interchangeable.
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

/// A handle of `N` elements of shared memory (`__shared__ T a[N]`), lent to the scope `'s`, in a `State` that says who may access
/// them.
///
/// A method that changes the state uses the handle up and returns the handle of the next state (diagram: [module page](self)).
/// Every thread of the group `G`, the CTA by default, holds a handle of its own and makes the same calls.
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
///
/// What each state allows:
///
#[doc = uses_of_memory!()]
#[must_use = "keep this handle: the scope has to return it"]
#[derive(Debug)]
pub struct Shared<'s, T, const N: usize, State, G = Cta> {
    addr: u32,
    /// Invariant in `'s`: handles of two scopes have two types.
    _scope: Brand<'s>,
    _elements: PhantomData<(*mut [T; N], State)>,
    _group: PhantomData<fn(&G)>,
}

impl<'s, T: Element, const N: usize, State, G> Shared<'s, T, N, State, G> {
    #[inline(always)]
    pub(crate) fn new(addr: u32) -> Self {
        Shared { addr, _scope: PhantomData, _elements: PhantomData, _group: PhantomData }
    }

    #[inline(always)]
    pub(crate) fn into_state<Next>(self) -> Shared<'s, T, N, Next, G> {
        Shared::new(self.addr)
    }

    /// The `.shared::cta` address of the first element: a multiple of 128.
    #[inline(always)]
    pub fn addr(&self) -> u32 {
        self.addr
    }

    /// The number of elements, `N`.
    #[inline(always)]
    pub const fn len(&self) -> usize {
        N
    }

    /// Whether the array has no elements.
    #[inline(always)]
    pub const fn is_empty(&self) -> bool {
        N == 0
    }

    /// Gives the memory up in the kernel's last scope, in any state, and returns the proof that [`Cta::async_scope_last`] or
    /// [`Cta::cluster_scope_last`] asks for. No copy uses the memory: a copy owns its handle.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn end(self) -> Ended<'s, SharedArray<T, N>> {
        Ended::new()
    }
}

impl<'s, T: Element, const N: usize, State, G: ThreadGroup> Shared<'s, T, N, State, G> {
    /// Loads element `i`; `None` past the end.
    ///
    /// PTX: `ld.weak.shared::cta`
    #[inline(always)]
    pub fn get(&self, i: usize) -> Option<T>
    where
        State: Readable,
    {
        if i >= N {
            return None;
        }
        // SAFETY: `i` is below `N`; in a `Readable` state no thread and no copy writes.
        Some(unsafe { T::load(self.addr + (i * size_of::<T>()) as u32) })
    }

    /// Loads the sixteen bytes that start at byte `16 * i`, as one vector; `None` past the end.
    ///
    /// PTX: `ld.weak.shared::cta.v4.b32`, or `.v2.b64`, or `.b128` ([`Element::Vector`])
    #[inline(always)]
    pub fn get_vector(&self, i: usize) -> Option<T::Vector>
    where
        State: Readable,
    {
        if i >= const { size::vectors::<T, N>() } {
            return None;
        }
        // SAFETY: vector `i` is in bounds, aligned since `addr` is a multiple of 128; in a `Readable` state no thread and no copy
        // writes.
        Some(unsafe { T::load_vector(self.addr + 16 * i as u32) })
    }

    /// Replaces each element `v` at index `i` by `f(i, v)`, once all threads have finished their reads. Each thread updates its
    /// share, sixteen bytes at a time; the array has a multiple of 16 bytes.
    ///
    /// Collective in the group.
    ///
    /// PTX: `barrier.cta.sync.aligned 0;`, per sixteen bytes: `ld.weak.shared::cta.v4.b32`, `st.weak.shared::cta.v4.b32`, or
    /// `.v2.b64`, or `.b128` ([`Element::Vector`])
    #[inline(always)]
    #[track_caller]
    pub fn update(self, group: &G, mut f: impl FnMut(usize, T) -> T) -> Shared<'s, T, N, Written, G>
    where
        State: Readable,
    {
        const { whole_vectors::<T, N>() };
        group.sync();
        for_each_vector::<T, N>(group, |v| {
            // SAFETY: vector `v` is in bounds and belongs to one thread. By the state no other thread writes; after the barrier
            // no other thread reads.
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
    /// Frees the memory for the next copy: waits until all threads have finished their reads, and gives up the contents.
    ///
    /// Collective in the group.
    ///
    /// PTX: `barrier.cta.sync.aligned 0;`
    #[inline(always)]
    #[track_caller]
    pub fn release(self, group: &G) -> Shared<'s, T, N, Free, G> {
        sync_with(group, self.release_at_sync())
    }

    /// Starts [`release`](Shared::release): the memory is free for the next copy after the barrier of
    /// [`sync_with`](Cta::sync_with). Several transitions can share that barrier.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{launch::Cta, shared::{Fenced, Free, Loaded, Shared, Written}};
    /// # fn kernel<'s>(cta: &Cta, from: Shared<'s, f32, 64, Loaded>, to: Shared<'s, f32, 64, Written>)
    /// # -> (Shared<'s, f32, 64, Free>, Shared<'s, f32, 64, Fenced>) {
    /// let (from, to) = cta.sync_with((from.release_at_sync(), to.to_async_at_sync()));
    /// # (from, to) }
    /// ```
    #[inline(always)]
    pub fn release_at_sync(self) -> AfterSync<Shared<'s, T, N, Free, G>, G> {
        AfterSync::new(self.into_state())
    }
}

impl<'s, T: Element, const N: usize, G: ThreadGroup> Shared<'s, T, N, Free, G> {
    /// Stores `f(i)` into each element `i`: the threads of the group share the elements, sixteen bytes at a time, and no barrier
    /// follows. The array has a multiple of 16 bytes.
    ///
    /// Collective in the group.
    ///
    /// PTX per sixteen bytes: `st.weak.shared::cta.v4.b32`, or `.v2.b64`, or `.b128` ([`Element::Vector`])
    #[inline(always)]
    #[track_caller]
    pub fn write(self, group: &G, mut f: impl FnMut(usize) -> T) -> Shared<'s, T, N, Written, G> {
        meet!(group);
        const { whole_vectors::<T, N>() };
        for_each_vector::<T, N>(group, |v| {
            let addr = self.addr + 16 * v;
            // SAFETY: vector `v` is in bounds and belongs to one thread; by the state no other thread and no copy accesses it.
            // All-zero bits are a value of every element.
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
    /// Makes all threads' stores and atomic operations visible to all threads of the group, by a barrier (`__syncthreads()`).
    ///
    /// Collective in the group.
    ///
    /// PTX: `barrier.cta.sync.aligned 0;`
    #[inline(always)]
    #[track_caller]
    pub fn publish(self, group: &G) -> Shared<'s, T, N, Published, G>
    where
        State: ThreadStores,
    {
        sync_with(group, self.publish_at_sync())
    }

    /// Starts [`publish`](Shared::publish): all threads see the stores after the barrier of [`sync_with`](Cta::sync_with) (see
    /// [`release_at_sync`](Shared::release_at_sync)).
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn publish_at_sync(self) -> AfterSync<Shared<'s, T, N, Published, G>, G>
    where
        State: ThreadStores,
    {
        AfterSync::new(self.into_state())
    }

    /// Makes all threads' stores visible to async copies (TMA), by a proxy fence of each thread (`fence.proxy.async`) and a
    /// barrier. The barrier also waits until all threads have finished their reads.
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
    #[track_caller]
    pub fn to_async(self, group: &G) -> Shared<'s, T, N, Fenced, G>
    where
        State: Unfenced,
    {
        sync_with(group, self.to_async_at_sync())
    }

    /// Starts [`to_async`](Shared::to_async) by the proxy fence: async copies see the stores after the barrier of
    /// [`sync_with`](Cta::sync_with) (see [`release_at_sync`](Shared::release_at_sync)).
    ///
    /// PTX: `fence.proxy.async.shared::cta;`
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
    /// Frees the memory for stores and `cp.async`: waits until all threads have finished their reads, and gives up the contents.
    /// No proxy fence is needed where no bulk copy uses the memory in between.
    ///
    /// Collective in the group.
    ///
    /// PTX: `barrier.cta.sync.aligned 0;`
    #[inline(always)]
    #[track_caller]
    pub fn release(self, group: &G) -> Shared<'s, T, N, FreeGeneric, G> {
        sync_with(group, self.release_at_sync())
    }

    /// Starts [`release`](Shared::release): the memory is free for stores and `cp.async` after the barrier of
    /// [`sync_with`](Cta::sync_with).
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn release_at_sync(self) -> AfterSync<Shared<'s, T, N, FreeGeneric, G>, G> {
        AfterSync::new(self.into_state())
    }
}

impl<'s, T: Element, const N: usize, G: ThreadGroup> Shared<'s, T, N, FreeGeneric, G> {
    /// Stores `f(i)` into each element `i`, as [`write`](Shared::write) does in the state [`Free`]: the threads of the group
    /// share the elements, and no barrier follows.
    ///
    /// Collective in the group.
    ///
    /// PTX per sixteen bytes: `st.weak.shared::cta.v4.b32`, or `.v2.b64`, or `.b128` ([`Element::Vector`])
    #[inline(always)]
    #[track_caller]
    pub fn write(self, group: &G, f: impl FnMut(usize) -> T) -> Shared<'s, T, N, Written, G> {
        self.into_state::<Free>().write(group, f)
    }
}

impl<'s, T: Element, const N: usize, G> Shared<'s, T, N, Fenced, G> {
    /// Gives up the contents, so that copies and threads may fill the memory again. No barrier is needed: no thread reads the
    /// memory.
    #[inline(always)]
    pub fn into_free(self) -> Shared<'s, T, N, Free, G> {
        self.into_state()
    }

    /// Lets threads read the contents again: those that a copy loaded, or those that threads stored before the barrier of
    /// [`to_async`](Shared::to_async).
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn into_loaded(self) -> Shared<'s, T, N, Loaded, G> {
        self.into_state()
    }
}

impl<'s, T: Element, const N: usize, G> Shared<'s, T, N, Free, G> {
    /// Lets copies read the present contents of free memory instead of giving them up: those that the memory held last, or
    /// unspecified ones.
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

    /// Prepares the memory for a loop in which threads write and read it without bulk copies. In each round
    /// [`release`](Shared::release) gives the state [`FreeGeneric`] again.
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

/// Makes each thread's stores to shared memory visible to async copies that any thread starts afterwards.
#[inline(always)]
#[track_caller]
pub(crate) fn fence_async(group: &impl ThreadGroup) {
    raw::fence_proxy_async(space::SharedCta);
    group.sync();
}

pub(crate) const fn whole_vectors<T, const N: usize>() {
    assert!(N > 0, "threads cannot fill an array without elements: choose a length of 1 or more");
    assert!(
        size::bytes::<T, N>().is_multiple_of(16),
        "threads fill an array 16 bytes at a time: choose a length of a multiple of 16 bytes"
    );
}

/// Calls `f` with the index of each sixteen-byte vector in this thread's share.
#[inline(always)]
pub(crate) fn for_each_vector<T, const N: usize>(group: &impl ThreadGroup, f: impl FnMut(u32)) {
    for_each_own(group, const { size::shared(size::vectors::<T, N>()) }, f);
}

/// Calls `f` with each number below `count` in this thread's share: `rank`, `rank + threads`, … In the loop every thread has a
/// number. The loop counts with values common to all threads, so LLVM knows the trip count when it knows the block's size.
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

handles! { DynamicShared, SharedArray<u32, 4>, Shared<u32, 4, Free> }
