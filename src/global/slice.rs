//! Parts of a slice whose length is known at run time, for bulk loads.

use super::Global;
use crate::qualifier::Sealed;
use crate::shared::Element;

/// At most `N` elements of global memory that nobody writes, as many as the kernel says when it runs, aligned and sized for a bulk copy.
/// A load of it fills the front of a tile of `N`.
///
/// ```
/// # use ptx::{bulk, global::{GlobalMatrix, GlobalSlice}, launch::Cta, mbarrier::{Mbarrier, Ready}, shared::SharedArray};
/// # fn kernel(cta: &mut Cta, memory: SharedArray<f32, 4096>, bar: Mbarrier<Ready>, x: GlobalMatrix<f32>, columns: usize) {
/// // A row of this CTA, of up to 4096 elements.
/// let row = x.row(cta.grid_rank() as usize).and_then(|row| row.slice::<4096>(0, columns));
/// cta.async_scope((memory, bar), |cta, (tile, bar)| {
///     let Some(row) = row else { return (tile, bar) };
///     let (bar, tile, row) = bulk::load(cta, bar, tile, row).wait(cta);
///     let last = tile.get(row.len() - 1); // elements behind it are unspecified
///     (tile.release(cta), bar)
/// });
/// # }
/// ```
#[derive(Debug)]
pub struct GlobalSlice<T, const N: usize> {
    pub(crate) base: *const T,
    /// 1 to `N`, a multiple of 16 bytes.
    len: u32,
}

static_assertions::assert_not_impl_any!(GlobalSlice<u32, 4>: Send, Sync);

impl<T, const N: usize> Clone for GlobalSlice<T, N> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, const N: usize> Copy for GlobalSlice<T, N> {}

impl<T: Element> Global<T> {
    /// The `len` elements from `first` on, for a bulk load into a tile of `N`. `None` where there are fewer, where `len` is 0 or more
    /// than `N`, and where the first byte or the number of bytes is no multiple of 16 (9.7.9.25.4.1).
    ///
    /// ```
    /// # use ptx::global::Global;
    /// # fn kernel(x: Global<f32>, offsets: Global<u32>, segment: usize) {
    /// // Segment `segment` of a ragged array, whose segments begin and end at multiples of four elements.
    /// let ends = offsets.get(segment).zip(offsets.get(segment + 1));
    /// let slice = ends.and_then(|(first, end)| x.slice::<1024>(first as usize, end.checked_sub(first)? as usize));
    /// # }
    /// ```
    #[inline(always)]
    pub fn slice<const N: usize>(&self, first: usize, len: usize) -> Option<GlobalSlice<T, N>> {
        const { super::tile_bytes::<T, N>() };
        let unit = const { 16 / size_of::<T>() };
        let is_whole = (first | len).is_multiple_of(unit);
        let is_inside = len >= 1 && len <= N && first <= self.len && len <= self.len - first;
        if !(is_whole && is_inside) {
            return None;
        }
        // SAFETY: in bounds.
        Some(GlobalSlice { base: unsafe { self.base.add(first) }, len: len as u32 })
    }
}

#[expect(clippy::len_without_is_empty, reason = "it is never empty")]
impl<T: Element, const N: usize> GlobalSlice<T, N> {
    /// The number of elements, 1 to `N`.
    ///
    /// ```
    /// # use ptx::{global::GlobalSlice, shared::{Loaded, Shared}};
    /// # fn kernel(slice: GlobalSlice<f32, 1024>, tile: &Shared<'_, f32, 1024, Loaded>) {
    /// let mut sum = 0.0;
    /// for i in 0..slice.len() {
    ///     sum += tile.get(i).unwrap_or(0.0);
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Its bytes: a multiple of 16, fewer than 2^20.
    #[inline(always)]
    pub(crate) fn bytes(&self) -> u32 {
        self.len * size_of::<T>() as u32
    }
}

impl<T, const N: usize> Sealed for GlobalSlice<T, N> {}
crate::group::nothing_to_end! { [T, const N: usize] GlobalSlice<T, N>; }
crate::cache_policy::hintable! {
    [T, const N: usize] GlobalSlice<T, N>, "a load":
        "# use ptx::{bulk, cache_policy::CachePolicy, global::GlobalSlice, launch::Cta, mbarrier::{Mbarrier, Ready}, shared::{Free, Shared}};"
        "# fn kernel<'s>(cta: &Cta, bar: Mbarrier<Ready>, tile: Shared<'s, f32, 64, Free>, slice: GlobalSlice<f32, 64>)"
        "# -> (Mbarrier<Ready>, Shared<'s, f32, 64, Free>) {"
        "// Nobody reads it again."
        "let slice = slice.cache_hint(CachePolicy::evict_first());"
        "let (bar, tile, _) = bulk::load(cta, bar, tile, slice).wait(cta);"
        "# (bar, tile.release(cta)) }";
}
