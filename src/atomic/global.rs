//! Slices of global memory that only atomic operations access (`atomicAdd` on a `T*`).

use core::marker::PhantomData;

use super::{AtomicRef, AtomicValue, AtomicVector, AtomicViewScope};
use crate::mark::{Grid, deal};
use crate::qualifier::space;
use crate::size::ALIGN;

/// A slice of global memory that only atomic operations access, in scope `S`, until the grid ends.
///
/// ```
/// # use ptx::{atomic::GlobalAtomics, qualifier::{scope, sem}};
/// # fn kernel(histogram: *mut u32) {
/// // SAFETY: the host passes 256 counters, and only these atomic operations of this grid access them.
/// let histogram = unsafe { GlobalAtomics::<u32, scope::Gpu>::from_raw(histogram, 256) };
/// if let Some(bin) = histogram.get(17) {
///     bin.add(1, sem::Relaxed); // red.relaxed.gpu.global.add.u32
/// }
/// # }
/// ```
#[derive(Debug)]
pub struct GlobalAtomics<T, S> {
    base: *mut T,
    len: usize,
    scope: PhantomData<S>,
}

impl<T, S> Clone for GlobalAtomics<T, S> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, S> Copy for GlobalAtomics<T, S> {}

impl<T, S> GlobalAtomics<T, S> {
    /// States that all threads of the grid use this memory together.
    #[inline(always)]
    pub(crate) fn deal(&self) {
        deal::<Grid, _>(self.base);
    }

    /// Makes a slice of atomic elements from a pointer to global memory and a length.
    ///
    /// # Safety
    ///
    /// 1. `base` is the generic or global address, aligned to the size of `T`, of `len` elements of global memory.
    /// 2. Until the grid ends, every access to the elements is an atomic operation on whole elements (for a vector `T`: on the
    ///    elements of the vector), in a scope that includes every thread that accesses them. `S` is such a scope: with
    ///    `scope::Cta`, only threads of one CTA access the elements; if the host accesses them too, `S` is `scope::Sys`.
    #[inline(always)]
    #[doc(alias("atomicAdd_system", "cuda::thread_scope"))]
    pub const unsafe fn from_raw(base: *mut T, len: usize) -> Self
    where
        T: AtomicValue,
        S: AtomicViewScope,
    {
        GlobalAtomics { base, len, scope: PhantomData }
    }

    /// Returns the number of elements.
    #[inline(always)]
    pub const fn len(self) -> usize {
        self.len
    }

    /// Returns whether the slice has no elements.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }

    /// Returns a reference to element `i`, or `None` if `i` is past the end.
    #[inline(always)]
    pub fn get(self, i: usize) -> Option<AtomicRef<'static, T, S, space::Global>>
    where
        T: AtomicValue,
        S: AtomicViewScope,
    {
        if i >= self.len {
            return None;
        }
        // SAFETY: `i` is below `len`, so the clauses of `from_raw` are those of `new`; they hold until the grid ends.
        Some(unsafe { AtomicRef::new(self.base.add(i).cast()) })
    }

    /// Returns chunk `i` of the slice, the `N` elements from `i * N` on, or `None` if they are not all in the slice. One check of the bounds
    /// serves all of them.
    ///
    /// ```
    /// # use ptx::{atomic::GlobalAtomics, qualifier::{scope, sem}, registers::unroll};
    /// /// Adds to four counters of sixteen.
    /// fn count(counters: GlobalAtomics<u32, scope::Gpu>, which: usize) {
    ///     let Some(counters) = counters.chunk::<16>(which) else { return };
    ///     unroll::<4>(|i| {
    ///         if let Some(counter) = counters.get(4 * i) {
    ///             counter.add(1, sem::Relaxed);
    ///         }
    ///     });
    /// }
    /// ```
    #[inline(always)]
    #[doc(alias = "slice::as_chunks")]
    pub fn chunk<const N: usize>(self, i: usize) -> Option<Self> {
        const { assert!(N > 0, "a chunk has at least one element") };
        let first = i.checked_mul(N)?;
        if first.checked_add(N)? > self.len {
            return None;
        }
        // SAFETY: the `N` elements from `first` on are in bounds.
        Some(GlobalAtomics { base: unsafe { self.base.add(first) }, len: N, scope: PhantomData })
    }

    /// Returns the slice as vectors of `N` elements, for vector `atom` and `red` (`.v2`, `.v4`, `.v8`), or `None` if the slice is
    /// not aligned to 16 bytes. Elements after the last whole vector are left out.
    ///
    /// Operations on the vectors and on the single elements are atomic towards each other: "the atomicity is guaranteed
    /// separately for each of the individual scalar elements" (9.7.13.5).
    ///
    /// ```
    /// # use ptx::{atomic::GlobalAtomics, qualifier::{scope, sem}};
    /// # fn kernel(sums: GlobalAtomics<f32, scope::Gpu>) {
    /// if let Some(sum) = sums.vectors::<4>().and_then(|sums| sums.get(0)) {
    ///     sum.add([1.0, 2.0, 3.0, 4.0], sem::Relaxed); // red.relaxed.gpu.global.add.v4.f32
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn vectors<const N: usize>(self) -> Option<GlobalAtomics<[T; N], S>>
    where
        [T; N]: AtomicVector,
    {
        // A vector is aligned to its size, which is 16 bytes at most.
        if !self.base.addr().is_multiple_of(ALIGN) {
            return None;
        }
        Some(GlobalAtomics { base: self.base.cast(), len: self.len / N, scope: PhantomData })
    }
}
