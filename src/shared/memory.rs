//! The shared memory of a kernel: what it declares (`__shared__`), and what the launch adds (`extern __shared__`).

use core::marker::PhantomData;

use crate::raw;
use crate::size;
use crate::trap::trap_because;

/// The alignment of tiles and arrays in shared memory, in bytes: tensor copies need 128, bulk copies need 16.
pub const ALIGN: u32 = 128;

/// The largest alignment of an object in shared memory, in bytes. The operands of tensor cores need it: a swizzle of 128 bytes
/// repeats after eight rows, and follows from the address.
pub(crate) const MAX_ALIGN: u32 = 1024;

/// A handle of something that a kernel can place in shared memory ([`shared_memory!`](crate::shared_memory), [`DynamicShared`]):
/// an array, an mbarrier, the stages of a pipeline. An array `[P; N]` of places is one place, which a kernel lends as one handle, such as
/// a buffer for each warpgroup: `[SharedArray<bf16, 8192>; 2]`. Its elements use no named barrier.
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
    note = "shared memory holds `SharedArray<T, N>`, `Mbarrier<Uninit>`, `RingMemory<[T; N], STAGES, INPUTS>`, `PipelineMemory<S, STAGES>`, `DsmemBuffer<T, N, Fill>`, \
            `ReduceMemory<T>`, `SegmentMemory<T>`, `SharedTable<T, N>`, arrays `[P; N]` of such places, and one `WorkQueueMemory`; the fields of `shared_memory!` can also be the barriers of `ptx::barrier`, `WarpgroupBarriers<COUNT>` and `TensorMemory<N, BUFFERS>`"
)]
pub unsafe trait Place: Sized {
    /// The number of bytes of shared memory that the object takes.
    const SIZE: u32;
    /// The alignment of the object in shared memory, in bytes: a power of two, 1024 at most.
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
    /// Asserts that the memory of an instance of a generic struct can be laid out.
    #[doc(hidden)]
    const CHECKED: () = ();

    /// Returns the handles of the kernel's static shared memory.
    ///
    /// # Safety
    ///
    /// Each thread of a CTA makes this call once at most. [`Cta::enter`](crate::group::Cta::enter) makes it.
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

/// Asserts that a place can have this alignment.
const fn check_align(align: u32) {
    assert!(
        align.is_power_of_two() && align <= MAX_ALIGN,
        "an object in shared memory has an alignment that is a power of two, 1024 bytes at most: choose such a `Place::ALIGN`"
    );
}

/// Lays objects out one after another in shared memory: returns their offsets, the end of the last object, and the alignment of
/// the whole, [`ALIGN`] or more. Asserts that no two objects use the same barrier, or `clusterlaunchcontrol`.
#[doc(hidden)]
pub const fn layout_of_places<const FIELDS: usize>(places: [Needs; FIELDS]) -> ([u32; FIELDS], u32, u32) {
    let mut offsets = [0; FIELDS];
    let (mut end, mut align, mut i) = (0, ALIGN, 0);
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
        if place.align > align {
            align = place.align;
        }
        let offset = size::aligned(end, place.align);
        offsets[i] = size::shared(offset);
        end = size::sum(offset, place.size as usize);
        i += 1;
    }
    (offsets, size::shared(end), align)
}

/// Names the type of a field by a function that borrows the field, which nobody calls. So `shared_memory!` expands the type once:
/// a macro inside of the type may expand to another type each time.
#[doc(hidden)]
pub const fn type_of<S, P>(_field: for<'a> fn(&'a S) -> &'a P) -> PhantomData<P> {
    PhantomData
}

/// Returns what a field of this type needs.
#[doc(hidden)]
pub const fn needs<P: Place>(_field: PhantomData<P>) -> Needs {
    Needs { size: P::SIZE, align: P::ALIGN, barriers: P::BARRIERS, cancels: P::CANCELS }
}

/// Makes the handle of a field, with its offset and its type, in the allocation at `base`.
///
/// # Safety
///
/// That of [`Place::at`], for the address `base + offset`.
#[doc(hidden)]
#[inline(always)]
pub unsafe fn place<P: Place>(base: u32, (offset, _): (u32, PhantomData<P>)) -> P {
    // SAFETY: `# Safety` of this function.
    unsafe { P::at(base + offset) }
}

/// Returns the number of fields of a struct of [`shared_memory!`](crate::shared_memory), from their names.
#[doc(hidden)]
pub const fn count(names: &[&str]) -> usize {
    names.len()
}

/// Declares the static shared memory of a kernel (`__shared__`): a struct whose fields are handles, which
/// [`Cta::enter`](crate::group::Cta::enter) gives out.
///
/// A field is a [`SharedArray`](super::SharedArray), an [`Mbarrier<Uninit>`](crate::mbarrier::Mbarrier), a
/// [`RingMemory`](crate::pipeline::RingMemory), a [`PipelineMemory`](crate::pipeline::PipelineMemory), a
/// [`DsmemBuffer`](crate::cluster::DsmemBuffer), a [`ReduceMemory`](crate::reduce::ReduceMemory), a [`SegmentMemory`](crate::reduce::SegmentMemory), a
/// [`SharedTable`](super::SharedTable), a named barrier of
/// [`barrier`](crate::barrier), each number once, or one `WorkQueueMemory` (of `clusterlaunchcontrol`).
///
/// The struct becomes one `.shared` allocation, aligned to 128 bytes or to what a field needs, in the kernels that enter with the struct. It has 48 KiB at
/// most: CUDA gives more only as [`DynamicShared`]. The macro expands to inline assembly: the calling crate has
/// `#![feature(asm_experimental_arch)]`.
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
///
/// The struct may have generic parameters, types with one bound at most and constants. Each instance has an allocation of its own:
///
/// ```
/// use ptx::shared::{Element, SharedArray};
///
/// ptx::shared_memory! {
///     struct Tiles<T: Element, const A: usize, const B: usize> { a: SharedArray<T, A>, b: SharedArray<T, B> }
/// }
/// ```
#[macro_export]
#[doc(alias = "__shared__")]
macro_rules! shared_memory {
    ($(#[$doc:meta])* $vis:vis struct $Name:ident { $($fields:tt)* }) => {
        $crate::shared_memory!(@struct [] [] [$(#[$doc])* $vis struct $Name] { $($fields)* });

        // Checks the layout on every target, also of an unused struct.
        const _: $crate::__private::core::primitive::u32 = $Name::LAYOUT.1;
    };
    ($(#[$doc:meta])* $vis:vis struct $Name:ident < $($rest:tt)*) => {
        $crate::shared_memory!(@generics [] [] [$(#[$doc])* $vis struct $Name] $($rest)*);
    };
    // Reads one generic parameter after another: the declarations, then the names.
    (@generics [$($declared:tt)*] [$($name:ident)*] $head:tt > $fields:tt) => {
        $crate::shared_memory!(@struct [$($declared)*] [$($name)*] $head $fields);
    };
    (@generics [$($declared:tt)*] [$($name:ident)*] $head:tt const $N:ident: $T:ident, $($rest:tt)*) => {
        $crate::shared_memory!(@generics [$($declared)* const $N: $T,] [$($name)* $N] $head $($rest)*);
    };
    (@generics [$($declared:tt)*] [$($name:ident)*] $head:tt const $N:ident: $T:ident > $fields:tt) => {
        $crate::shared_memory!(@struct [$($declared)* const $N: $T,] [$($name)* $N] $head $fields);
    };
    (@generics [$($declared:tt)*] [$($name:ident)*] $head:tt $T:ident $(: $Bound:path)?, $($rest:tt)*) => {
        $crate::shared_memory!(@generics [$($declared)* $T $(: $Bound)?,] [$($name)* $T] $head $($rest)*);
    };
    (@generics [$($declared:tt)*] [$($name:ident)*] $head:tt $T:ident $(: $Bound:path)? > $fields:tt) => {
        $crate::shared_memory!(@struct [$($declared)* $T $(: $Bound)?,] [$($name)* $T] $head $fields);
    };
    (
        @struct [$($declared:tt)*] [$($parameter:ident)*] [$(#[$doc:meta])* $vis:vis struct $Name:ident]
        { $( $(#[$field_doc:meta])* $field_vis:vis $field:ident: $Place:ty ),* $(,)? }
    ) => {
        $(#[$doc])*
        $vis struct $Name<$($declared)*> { $( $(#[$field_doc])* $field_vis $field: $Place, )* }

        impl<$($declared)*> $Name<$($parameter),*> {
            #[doc(hidden)]
            const LAYOUT: (
                [$crate::__private::core::primitive::u32; $crate::shared::count(
                    &[$( $crate::__private::core::stringify!($field) ),*],
                )],
                $crate::__private::core::primitive::u32,
                $crate::__private::core::primitive::u32,
            ) = {
                // A binding cannot have the name of a constant, a static or a kernel, but it can shadow a function.
                $( #[allow(dead_code)] fn $field() {} )*
                $( let $field = $crate::shared::type_of(|__ptx_memory: &Self| &__ptx_memory.$field); )*
                // An error about a field points to its type.
                let __ptx_layout = $crate::shared::layout_of_places([$( $crate::__private::at_type!($Place $crate::shared::needs($field)) ),*]);
                $crate::__private::core::assert!(
                    __ptx_layout.1 <= 48 * 1024,
                    "a kernel declares 48 KiB of shared memory at most: take one field out of the struct, and give it a parameter with `#[dynamic]`"
                );
                __ptx_layout
            };

            /// The mangled name of this function makes the symbol of the allocation unique among crates and instances. Not
            /// inlined: inlining gives every codegen unit a renamed copy, and one struct would have several allocations.
            #[cfg(target_arch = "nvptx64")]
            #[doc(hidden)]
            #[inline(never)]
            extern "C" fn tag() {}
        }

        // SAFETY: `LAYOUT` gives each field bytes of its own, in an allocation of this struct alone.
        unsafe impl<$($declared)*> $crate::shared::SharedMemory for $Name<$($parameter),*> {
            $crate::shared_memory!(@checked $($parameter)*);

            #[inline(always)]
            #[allow(unreachable_code, clippy::diverging_sub_expression)]
            unsafe fn claim() -> Self {
                #[cfg(target_arch = "nvptx64")]
                let __ptx_base = {
                    let __ptx_base: $crate::__private::core::primitive::u32;
                    // SAFETY: `mov` of a symbol's address accesses no memory. `ptx-link` declares the symbol.
                    unsafe {
                        $crate::__private::core::arch::asm!(
                            "// module: .shared .align {align} .b8 {tag}__smem[{size}];",
                            "mov.u32 {base}, {tag}__smem;",
                            base = lateout(reg32) __ptx_base, tag = sym Self::tag,
                            // Named barriers take no bytes, and PTX has no array of zero bytes.
                            size = const if Self::LAYOUT.1 == 0 { 1 } else { Self::LAYOUT.1 },
                            align = const Self::LAYOUT.2,
                            options(pure, nomem, nostack, preserves_flags),
                        );
                    }
                    __ptx_base
                };
                #[cfg(not(target_arch = "nvptx64"))]
                let __ptx_base: $crate::__private::core::primitive::u32 =
                    $crate::__private::core::panic!("shared memory exists on a GPU only: build for nvptx64-nvidia-cuda");

                // As in `LAYOUT`.
                $( #[allow(dead_code)] fn $field() {} )*
                let [$( $field ),*] = Self::LAYOUT.0;
                $( let $field = ($field, const { $crate::shared::type_of(|__ptx_memory: &Self| &__ptx_memory.$field) }); )*
                // SAFETY: `LAYOUT` gives each field aligned bytes of its own, and each thread claims them once (`# Safety`).
                unsafe { Self { $( $field: $crate::__private::at_type!($Place $crate::shared::place(__ptx_base, $field)), )* } }
            }
        }
    };
    (@checked) => {};
    (@checked $($parameter:ident)+) => {
        const CHECKED: () = {
            let _ = Self::LAYOUT;
        };
    };
}

/// The dynamic shared memory of the launch (`extern __shared__`, `sharedMemBytes`), from which a kernel takes one object (an
/// array, an mbarrier …) after another.
///
/// All threads of the CTA take the same objects in the same order. On the host [`bytes_for`](DynamicShared::bytes_for) computes
/// the size for the launch.
///
/// ```
/// # use ptx::{group::Cta, mbarrier::{Mbarrier, Uninit}, shared::SharedArray};
/// # unsafe fn kernel() {
/// // SAFETY: the kernel's first call.
/// let (cta, (), dynamic) = unsafe { Cta::enter::<()>() };
/// let (tile, dynamic) = dynamic.take::<SharedArray<f32, 16384>>();
/// let (bar, _) = dynamic.take::<Mbarrier<Uninit>>();
/// # }
/// ```
#[derive(Debug)]
pub struct DynamicShared {
    pub(super) next: u32,
    pub(super) end: u32,
    /// The addresses are valid in this CTA only.
    pub(super) _thread: PhantomData<*mut ()>,
}

#[cfg(target_arch = "nvptx64")]
core::arch::global_asm!(".extern .shared .align 128 .b8 ptx_dynamic_shared[];");

/// Asserts that a CTA may have any number of places of this type.
pub(super) const fn bytes_only<P: Place>() {
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

    /// Returns whether all bytes of the dynamic shared memory are taken.
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
        crate::mark::deal::<crate::group::Cta, _>(core::ptr::without_provenance::<()>(self.next as usize));
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
