//! L2 cache policies, which `createpolicy` makes (9.7.9.18) and `.L2::cache_hint` takes: in CUDA C++ `cuda::access_property`.
//!
//! A [`CachePolicy`] rides on the handle of global memory that a copy, a reduction or an atomic operation takes:
//! `tile.cache_hint(policy)`.

use crate::qualifier::{AddressSpace, Sealed, cache_hint, evict, space};
use crate::raw::{self, AtomCacheHint, L2CacheHint, PrimaryPriority, SecondaryPriority};

/// An L2 cache policy, for copies and atomic operations that take one. It is a hint: it changes how fast things are, and nothing
/// else.
///
/// ```
/// # use ptx::{bulk, cache_policy::CachePolicy, global::Tiles, launch::Cta};
/// # fn kernel(cta: &Cta, weights: Tiles<f32, 1024>) {
/// let keep = CachePolicy::evict_last(); // made once, given to any number of copies
/// for tile in [weights.get(0), weights.get(1)].into_iter().flatten() {
///     bulk::prefetch(cta, tile.cache_hint(keep));
/// }
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct CachePolicy(pub(crate) u64);

impl CachePolicy {
    /// The data is wanted again: keep it longest.
    ///
    /// PTX: `createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 cache-policy, 1.0;`
    ///
    /// ```
    /// # use ptx::cache_policy::CachePolicy;
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
    /// # use ptx::cache_policy::CachePolicy;
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
    /// # use ptx::{cache_policy::CachePolicy, launch::Cta};
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
}

/// How something goes through the L2 cache: `()`, or a [`CachePolicy`], which there is in global memory.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no L2 cache policy",
    label = "neither `()` nor a `CachePolicy`",
    note = "`.cache_hint(policy)` gives what lies in global memory its policy"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait L2Policy<Space: AddressSpace = space::Global>: Copy + Sealed {
    #[doc(hidden)]
    type Hint: L2CacheHint + AtomCacheHint<Space>;
    /// What instructions take.
    #[doc(hidden)]
    fn hint(self) -> Self::Hint;
}
impl<Space: AddressSpace> L2Policy<Space> for () {
    type Hint = cache_hint::None;
    #[inline(always)]
    fn hint(self) -> Self::Hint {
        cache_hint::None
    }
}
impl Sealed for CachePolicy {}
impl L2Policy for CachePolicy {
    type Hint = cache_hint::Policy;
    #[inline(always)]
    fn hint(self) -> Self::Hint {
        cache_hint::Policy(self.0)
    }
}

/// A handle of global memory, and the L2 cache policy of the copy or reduction that it is given to: what its method
/// `cache_hint` makes. Where a handle is taken, so is this, and the handle alone comes back.
///
/// PTX of the copy: with `.L2::cache_hint`, and the policy as an operand.
///
/// ```
/// # use ptx::{bulk, cache_policy::{CachePolicy, Hinted}, global::GlobalTile, launch::Cta, mbarrier::{Mbarrier, Ready}};
/// # use ptx::shared::{Free, Loaded, Shared};
/// # fn kernel<'s>(cta: &Cta, bar: Mbarrier<Ready>, tile: Shared<'s, f32, 64, Free>, src: GlobalTile<f32, 64>)
/// # -> Shared<'s, f32, 64, Loaded> {
/// let once: Hinted<GlobalTile<f32, 64>> = src.cache_hint(CachePolicy::evict_first());
/// let (_bar, tile, _src) = bulk::load(cta, bar, tile, once).wait(cta);
/// # tile
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Hinted<Handle> {
    pub(crate) handle: Handle,
    pub(crate) policy: CachePolicy,
}
impl<Handle> Sealed for Hinted<Handle> {}

/// A `Handle` as it is, or with a policy.
#[diagnostic::on_unimplemented(
    message = "expected `{Handle}`, found `{Self}`",
    label = "neither a `{Handle}` nor one with a cache hint",
    note = "a copy takes the handle, or what its `.cache_hint(policy)` gives; what `map.at(…)` gives is an `Option`, `None` where no copy may begin: handle that first"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait MaybeHinted<Handle: Sealed>: Sealed {
    #[doc(hidden)]
    type Hint: L2CacheHint;
    #[doc(hidden)]
    fn split(self) -> (Handle, Self::Hint);
}
#[diagnostic::do_not_recommend]
impl<Handle: Sealed> MaybeHinted<Handle> for Handle {
    type Hint = cache_hint::None;
    #[inline(always)]
    fn split(self) -> (Handle, cache_hint::None) {
        (self, cache_hint::None)
    }
}
#[diagnostic::do_not_recommend]
impl<Handle: Sealed> MaybeHinted<Handle> for Hinted<Handle> {
    type Hint = cache_hint::Policy;
    #[inline(always)]
    fn split(self) -> (Handle, cache_hint::Policy) {
        (self.handle, cache_hint::Policy(self.policy.0))
    }
}

/// What a copy is given for its source, and the handle that comes back: without a policy.
///
/// # Safety
///
/// Implemented here only: `bare` gives back what it takes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no handle of global memory",
    label = "no source of a copy",
    note = "a copy takes a tile of a slice or a part of a tensor, with or without a policy, or a pair of these"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait Bare {
    #[doc(hidden)]
    type Handle;
    #[doc(hidden)]
    fn bare(self) -> Self::Handle;
}
// SAFETY: the handle in it.
unsafe impl<Handle: Bare> Bare for Hinted<Handle> {
    type Handle = Handle::Handle;
    #[inline(always)]
    fn bare(self) -> Self::Handle {
        self.handle.bare()
    }
}
// SAFETY: both.
unsafe impl<X: Bare, Y: Bare> Bare for (X, Y) {
    type Handle = (X::Handle, Y::Handle);
    #[inline(always)]
    fn bare(self) -> Self::Handle {
        (self.0.bare(), self.1.bare())
    }
}

/// Gives handles of global memory the method that makes them `Hinted`, each with the example in its documentation.
macro_rules! hintable {
    ($( [ $($generic:tt)* ] $Handle:ty, $copy:literal: $($example:literal)+; )*) => { $(
        // SAFETY: itself.
        unsafe impl<$($generic)*> $crate::cache_policy::Bare for $Handle {
            type Handle = Self;
            #[inline(always)]
            fn bare(self) -> Self {
                self
            }
        }
        impl<$($generic)*> $Handle {
            #[doc = concat!("The same handle, for ", $copy, " under an L2 cache policy.")]
            ///
            /// PTX of that: with `.L2::cache_hint`, and the policy as an operand.
            ///
            /// ```
            $( #[doc = $example] )+
            /// ```
            #[inline(always)]
            pub fn cache_hint(self, policy: $crate::cache_policy::CachePolicy) -> $crate::cache_policy::Hinted<Self> {
                $crate::cache_policy::Hinted { handle: self, policy }
            }
        }
    )* };
}
pub(crate) use hintable;
