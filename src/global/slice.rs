//! Slices of global memory whose length is known at run time, as sources of bulk loads (`cp.async.bulk`).

use super::Global;
use crate::qualifier::Sealed;
use crate::shared::Element;

/// A source of a bulk load whose length is known at run time: 1 to `N` elements of global memory that no thread writes. A load
/// copies the elements to the front of a shared tile of `N` elements. The slice's address and size are multiples of 16 bytes.
///
/// ```
/// # use ptx::{bulk::LoadBuffer, global::{GlobalMatrix, GlobalSlice}, group::Cta};
/// # fn kernel(cta: Cta, memory: LoadBuffer<f32, 4096>, x: GlobalMatrix<f32>, columns: usize) {
/// // The row of this CTA, of up to 4096 elements.
/// let row = x.row(cta.grid_rank() as usize).and_then(|row| row.slice::<4096>(0, columns));
/// cta.finish(memory, |cta, tile| {
///     let Some(row) = row else { return tile.end() };
///     let tile = tile.load(cta, row).wait(cta);
///     let last = tile.get(row.len() - 1); // the tile's elements from `row.len()` on are unspecified
///     tile.end()
/// });
/// # }
/// ```
#[derive(Debug)]
pub struct GlobalSlice<T, const N: usize> {
    pub(crate) base: *const T,
    /// 1 to `N`; the size in bytes is a multiple of 16.
    len: u32,
}

impl<T, const N: usize> Clone for GlobalSlice<T, N> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, const N: usize> Copy for GlobalSlice<T, N> {}

impl<T: Element> Global<T> {
    /// Returns the `len` elements starting at index `first`, as the source of a bulk load into a tile of `N` elements.
    ///
    /// `None` if the slice ends before `first + len`, if `len` is 0 or greater than `N`, or if the offset or the size in bytes is
    /// not a multiple of 16 (9.7.9.25.4.1).
    ///
    /// ```
    /// # use ptx::global::Global;
    /// # fn kernel(x: Global<f32>, offsets: Global<u32>, segment: usize) {
    /// // Segment `segment` of a ragged array, whose segments begin and end at multiples of four elements.
    /// let bounds = offsets.get(segment).zip(offsets.get(segment + 1));
    /// let slice = bounds.and_then(|(first, end)| x.slice::<1024>(first as usize, end.checked_sub(first)? as usize));
    /// # }
    /// ```
    #[inline(always)]
    pub fn slice<const N: usize>(&self, first: usize, len: usize) -> Option<GlobalSlice<T, N>> {
        const { crate::size::tile::<T, N>() };
        let unit = const { 16 / size_of::<T>() };
        let is_whole = (first | len).is_multiple_of(unit);
        let is_inside = len >= 1 && len <= N && first <= self.len && len <= self.len - first;
        if !(is_whole && is_inside) {
            return None;
        }
        // SAFETY: `first + len <= self.len` (`is_inside`).
        Some(GlobalSlice { base: unsafe { self.base.add(first) }, len: len as u32 })
    }
}

#[expect(clippy::len_without_is_empty, reason = "it is never empty")]
impl<T: Element, const N: usize> GlobalSlice<T, N> {
    /// Returns the number of elements, 1 to `N`.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// The size in bytes: a multiple of 16, less than 2^20.
    #[inline(always)]
    pub(crate) fn bytes(&self) -> u32 {
        self.len * size_of::<T>() as u32
    }
}

impl<T, const N: usize> Sealed for GlobalSlice<T, N> {}
crate::group::nothing_to_end! { [T, const N: usize] GlobalSlice<T, N>; }
crate::cache_policy::hintable! {
    [T, const N: usize] GlobalSlice<T, N>;
}

handles! { Copy: GlobalSlice<u32, 4> }
