//! L2 cache policies (9.7.9.18).

use crate::global::Global;
use crate::qualifier::{Sealed, evict, space};
use crate::raw::{self, PrimaryPriority, SecondaryPriority};
use crate::shared::Element;

/// An L2 cache policy, for copies and atomic operations that take one. It is a hint: it changes how fast things are, and nothing
/// else.
///
/// ```
/// # use ptx::{bulk::{self, CachePolicy}, global::Tiles, launch::Cta};
/// # fn kernel(cta: &Cta, weights: Tiles<f32, 1024>) {
/// let keep = CachePolicy::evict_last(); // made once, given to any number of copies
/// for tile in [weights.get(0), weights.get(1)].into_iter().flatten() {
///     bulk::prefetch_cache_hint(cta, tile, keep);
/// }
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct CachePolicy(u64);

impl CachePolicy {
    /// The data is wanted again: keep it longest.
    ///
    /// PTX: `createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 cache-policy, 1.0;`
    ///
    /// ```
    /// # use ptx::bulk::CachePolicy;
    /// # fn kernel() {
    /// let of_weights = CachePolicy::evict_last();
    /// # }
    /// ```
    #[inline(always)]
    pub fn evict_last() -> Self {
        // SAFETY: 1 is in (0, 1].
        CachePolicy(unsafe { raw::createpolicy_fractional(evict::Last, evict::Unchanged, 1.0) })
    }

    /// The data is not wanted again: let it go first.
    ///
    /// PTX: `createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 cache-policy, 1.0;`
    ///
    /// ```
    /// # use ptx::bulk::CachePolicy;
    /// # fn kernel() {
    /// let of_a_stream = CachePolicy::evict_first();
    /// # }
    /// ```
    #[inline(always)]
    pub fn evict_first() -> Self {
        // SAFETY: 1 is in (0, 1].
        CachePolicy(unsafe { raw::createpolicy_fractional(evict::First, evict::Unchanged, 1.0) })
    }

    /// Gives `fraction` of the accesses the primary priority and the rest the secondary one; `None` if `fraction` is not
    /// in (0, 1].
    ///
    /// PTX: `createpolicy.fractional.L2::primary.L2::secondary.b64 cache-policy, fraction;`
    ///
    /// ```
    /// # use ptx::{bulk::CachePolicy, launch::Cta};
    /// # fn kernel(cta: &Cta) -> Option<CachePolicy> {
    /// use ptx::qualifier::evict;
    /// // A constant fraction is checked at compile time: no branch is left.
    /// let half = CachePolicy::fractional(evict::Last, evict::First, 0.5)?;
    /// # Some(half)
    /// # }
    /// ```
    #[inline(always)]
    pub fn fractional<Primary: PrimaryPriority, Secondary: SecondaryPriority>(
        primary: Primary,
        secondary: Secondary,
        fraction: f32,
    ) -> Option<Self> {
        // False for NaN.
        let valid = fraction > 0.0 && fraction <= 1.0;
        // SAFETY: `fraction` is in (0, 1].
        valid.then(|| CachePolicy(unsafe { raw::createpolicy_fractional(primary, secondary, fraction) }))
    }

    /// Gives accesses to the first `first` elements of `slice` the primary priority, to its others the secondary one;
    /// `None` if the slice is shorter, empty, or of 2^32 bytes or more.
    ///
    /// PTX: `createpolicy.range.global.L2::primary.L2::secondary.b64 cache-policy, [slice], primary-size, total-size;`,
    /// sizes in bytes
    ///
    /// ```
    /// # use ptx::{bulk::CachePolicy, global::Global};
    /// # fn kernel(table: Global<f32>) -> Option<CachePolicy> {
    /// use ptx::qualifier::evict;
    /// // The head of the table is used over and over.
    /// let head_stays = CachePolicy::range(evict::Last, evict::First, table, 4096)?;
    /// # Some(head_stays)
    /// # }
    /// ```
    #[inline(always)]
    pub fn range<T: Element, Primary: PrimaryPriority, Secondary: SecondaryPriority>(
        primary: Primary,
        secondary: Secondary,
        slice: Global<T>,
        first: usize,
    ) -> Option<Self> {
        if slice.len == 0 || first > slice.len || slice.len > u32::MAX as usize / size_of::<T>() {
            return None;
        }
        let bytes = |elements: usize| (elements * size_of::<T>()) as u32;
        // SAFETY: the address is that of a slice of global memory, of which `first` elements are a part; both sizes fit into
        // 32 bits.
        Some(CachePolicy(unsafe {
            raw::createpolicy_range(
                space::Global,
                primary,
                secondary,
                slice.base.cast(),
                bytes(first),
                bytes(slice.len),
            )
        }))
    }

    /// What instructions take.
    #[inline(always)]
    pub(crate) fn bits(self) -> u64 {
        self.0
    }
}

/// How something goes through the L2 cache: `()`, or a [`CachePolicy`], which there is in global memory.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no L2 cache policy",
    label = "neither `()` nor a `CachePolicy`",
    note = "`.cache_hint(policy)` gives what lies in global memory its policy"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait L2Policy: Copy + Sealed {
    #[doc(hidden)]
    const HINTED: bool;
    /// What `.L2::cache_hint` takes.
    #[doc(hidden)]
    fn bits(self) -> u64;
}
impl L2Policy for () {
    const HINTED: bool = false;
    #[inline(always)]
    fn bits(self) -> u64 {
        0
    }
}
impl Sealed for CachePolicy {}
impl L2Policy for CachePolicy {
    const HINTED: bool = true;
    #[inline(always)]
    fn bits(self) -> u64 {
        CachePolicy::bits(self)
    }
}
