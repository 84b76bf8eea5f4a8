//! Global memory that any thread writes at any index: the output of a sort, a partition or a permutation.

use crate::shared::Element;

/// A slice of global memory that the grid only writes, each thread at any index (a scatter). Where two threads write one element,
/// one of the values remains. The end of the grid makes the elements visible; elements that no thread writes keep their values.
///
/// To combine values that meet in one element, or to read what other threads have written, use
/// [`GlobalAtomics`](crate::atomic::GlobalAtomics).
///
/// ```
/// # use ptx::{global::{Global, GlobalScatter}, group::Cta};
/// # unsafe fn kernel(cta: &Cta, values: Global<f32>, places: Global<u32>, sorted: *mut f32, n: usize) {
/// // SAFETY: the host passes `n` elements; only this grid accesses them, and only through this handle.
/// let sorted = unsafe { GlobalScatter::from_raw(sorted, n) };
/// let i = cta.grid_thread_rank() as usize;
/// if let (Some(value), Some(place)) = (values.get(i), places.get(i)) {
///     sorted.write(place as usize, value);
/// }
/// # }
/// ```
#[derive(Debug)]
pub struct GlobalScatter<T> {
    base: *mut T,
    len: usize,
}

impl<T> Clone for GlobalScatter<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for GlobalScatter<T> {}

#[expect(clippy::len_without_is_empty, reason = "a store past the end of an empty slice does nothing")]
impl<T: Element> GlobalScatter<T> {
    /// Makes a handle of the slice of `len` elements of global memory at `base`.
    ///
    /// # Safety
    ///
    /// - `base` is the global or generic address, aligned to the element's size, of `len` elements of global memory.
    /// - until the grid ends (inside a [`Prerequisite`](crate::launch::Prerequisite): from its `wait` to the end of the grid),
    ///   only this grid accesses the elements, and only through such handles, with the same `T`.
    #[inline(always)]
    pub const unsafe fn from_raw(base: *mut T, len: usize) -> Self {
        GlobalScatter { base, len }
    }

    /// Returns the number of elements.
    ///
    /// PTX: none.
    #[inline(always)]
    pub const fn len(self) -> usize {
        self.len
    }

    /// Stores `value` into element `i`. Returns `None`, and stores nothing, if `i` is past the end.
    ///
    /// The store is relaxed in the scope of the GPU, because two threads may store into one element: a race of ordinary stores is
    /// undefined, of these one value remains.
    ///
    /// Not collective.
    ///
    /// PTX: `st.relaxed.gpu.global{.type} [addr], value;`, where `.type` is `.b8` to `.b128`
    #[inline(always)]
    pub fn write(self, i: usize, value: T) -> Option<()> {
        if i >= self.len {
            return None;
        }
        // SAFETY: `i` is in bounds, and all accesses to the element are such stores of its size (`from_raw`).
        unsafe { T::store_relaxed(self.base.add(i), value) };
        Some(())
    }
}

handles! { Copy: GlobalScatter<u32> }
