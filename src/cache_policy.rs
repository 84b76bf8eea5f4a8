//! L2 cache policies (CUDA's `cuda::access_property`, PTX's `createpolicy`, 9.7.9.18): the data that L2 evicts first or last.
//!
//! [`cache_hint`](CacheHint::cache_hint) attaches a [`CachePolicy`] to a handle of global memory. The copy, reduction or atomic
//! operation that takes the handle then carries the policy (`.L2::cache_hint`).

use crate::qualifier::{AddressSpace, Sealed, cache_hint, evict, space};
use crate::raw::{self, AtomCacheHint, L2CacheHint, PrimaryPriority, SecondaryPriority};

/// An L2 eviction policy (CUDA's `cuda::access_property`), for copies, reductions and atomic operations in global memory. A
/// policy is a hint: it can change the speed of a kernel, and nothing else.
///
/// ```
/// # use ptx::{bulk, cache_policy::{CacheHint, CachePolicy}, global::Tiles, group::Cta};
/// # fn kernel(cta: &Cta, weights: Tiles<f32, 1024>) {
/// let keep = CachePolicy::evict_last(); // made once, given to any number of copies
/// for tile in [weights.get(0), weights.get(1)].into_iter().flatten() {
///     bulk::prefetch(cta, tile.cache_hint(keep));
/// }
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
#[doc(alias = "cuda::access_property")]
pub struct CachePolicy(pub(crate) u64);

impl CachePolicy {
    /// Makes a policy that evicts the data last, for data that is used again (CUDA's `cuda::access_property::persisting`).
    ///
    /// PTX: `createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 cache-policy, 1.0;`
    #[inline(always)]
    #[doc(alias = "cuda::access_property::persisting")]
    pub fn evict_last() -> Self {
        // SAFETY: the fraction 1.0 is in (0, 1].
        CachePolicy(unsafe { raw::createpolicy_fractional(evict::Last, evict::Unchanged, 1.0) })
    }

    /// Makes a policy that evicts the data first, for data that is not used again (CUDA's `cuda::access_property::streaming`).
    ///
    /// PTX: `createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 cache-policy, 1.0;`
    #[inline(always)]
    #[doc(alias = "cuda::access_property::streaming")]
    pub fn evict_first() -> Self {
        // SAFETY: the fraction 1.0 is in (0, 1].
        CachePolicy(unsafe { raw::createpolicy_fractional(evict::First, evict::Unchanged, 1.0) })
    }

    /// Makes a policy that gives `fraction` of the accesses the eviction priority `primary` and the rest `secondary`
    /// (`createpolicy.fractional`). The priorities are tags of [`qualifier::evict`](crate::qualifier::evict). `None` if
    /// `fraction` is not in (0, 1]. The check of a constant fraction leaves no branch.
    ///
    /// PTX: `createpolicy.fractional.L2::primary.L2::secondary.b64 cache-policy, fraction;`
    #[inline(always)]
    pub fn fractional<Primary: PrimaryPriority, Secondary: SecondaryPriority>(
        primary: Primary,
        secondary: Secondary,
        fraction: f32,
    ) -> Option<Self> {
        // Also false for NaN.
        let valid = fraction > 0.0 && fraction <= 1.0;
        // SAFETY: `fraction` is in (0, 1] if `valid`.
        valid.then(|| CachePolicy(unsafe { raw::createpolicy_fractional(primary, secondary, fraction) }))
    }
}

/// The cache policy of an access: `()` for none, or a [`CachePolicy`], which exists for global memory only.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an L2 cache policy of this memory",
    label = "neither `()` nor a `CachePolicy`",
    note = "`.cache_hint(policy)` attaches a policy to a handle of global memory; shared memory has no L2 cache policy"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait L2Policy<Space: AddressSpace = space::Global>: Copy + Sealed {
    #[doc(hidden)]
    type Hint: L2CacheHint + AtomCacheHint<Space>;
    /// Returns the cache policy as the operand of a [`raw`] instruction (`.L2::cache_hint`), or no operand for `()`.
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

/// A handle of global memory with an L2 cache policy: the result of the handle's method `cache_hint`. A copy or reduction that
/// takes the handle also takes a `Hinted` handle, and gives back the handle without the policy.
///
/// PTX of the copy: with `.L2::cache_hint`, and the policy as an operand.
#[derive(Clone, Copy, Debug)]
#[doc(alias = "cuda::annotated_ptr")]
pub struct Hinted<Handle> {
    pub(crate) handle: Handle,
    pub(crate) policy: CachePolicy,
}
impl<Handle> Sealed for Hinted<Handle> {}

/// A handle of global memory of the type `Handle`, with or without an L2 cache policy ([`Hinted`]).
#[diagnostic::on_unimplemented(
    message = "expected `{Handle}`, found `{Self}`",
    label = "neither a `{Handle}` nor a `{Handle}` with a cache policy",
    note = "pass the handle, or the result of its `.cache_hint(policy)`; `map.at(…)` returns an `Option`, which is `None` where no copy may begin: take the handle out of the `Option` first"
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

/// A source of an async copy: a handle of global memory, with or without an L2 cache policy, or a pair of such sources. `Handle`
/// is the same source without its cache policy, which comes back when the copy is complete.
///
/// # Safety
///
/// Implemented in this crate only: `bare` returns the handle that it takes, without the policy.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a handle of global memory",
    label = "not a source of a copy",
    note = "a copy reads a tile of a slice, a part of a tensor, or a pair of these, each with or without a cache policy"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait Bare {
    #[doc(hidden)]
    type Handle;
    #[doc(hidden)]
    fn bare(self) -> Self::Handle;
}
// SAFETY: `bare` returns the handle in the `Hinted`.
unsafe impl<Handle: Bare> Bare for Hinted<Handle> {
    type Handle = Handle::Handle;
    #[inline(always)]
    fn bare(self) -> Self::Handle {
        self.handle.bare()
    }
}
// SAFETY: each half returns its own handle (`Bare`).
unsafe impl<X: Bare, Y: Bare> Bare for (X, Y) {
    type Handle = (X::Handle, Y::Handle);
    #[inline(always)]
    fn bare(self) -> Self::Handle {
        (self.0.bare(), self.1.bare())
    }
}

/// Handles of global memory that take an L2 cache policy: tiles, parts of tensors, windows, and references for atomic operations.
#[doc(alias = "cuda::annotated_ptr")]
pub trait CacheHint: Sized + Sealed {
    /// The handle with a policy.
    type Hinted;
    /// Attaches an L2 cache policy (`.L2::cache_hint`) to the handle, for the operations that take the handle.
    ///
    /// A reference for atomic operations then has no [`compare_exchange`](crate::atomic::AtomicRef::compare_exchange): `.cas`
    /// takes no policy.
    ///
    /// PTX of those operations: with `.L2::cache_hint`, and the policy as the last operand.
    ///
    /// ```
    /// # use ptx::{atomic::GlobalAtomics, bulk, cache_policy::{CacheHint, CachePolicy}, global::GlobalTile, group::Cta};
    /// # use ptx::qualifier::{scope, sem};
    /// # fn kernel(cta: &Cta, tile: GlobalTile<f32, 64>, bins: GlobalAtomics<u32, scope::Gpu>) {
    /// let keep = CachePolicy::evict_last();
    /// bulk::prefetch(cta, tile.cache_hint(keep)); // cp.async.bulk.prefetch.L2.global.L2::cache_hint
    /// if let Some(bin) = bins.get(17) {
    ///     bin.cache_hint(keep).add(1, sem::Relaxed); // red.relaxed.gpu.global.add.L2::cache_hint.u32
    /// }
    /// # }
    /// ```
    #[doc(alias = "cute::TMA::CacheHintSm90")]
    fn cache_hint(self, policy: CachePolicy) -> Self::Hinted;
}

/// Implements `Bare` and `CacheHint` for handles of global memory.
macro_rules! hintable {
    ($( [ $($generic:tt)* ] $Handle:ty; )*) => { $(
        // SAFETY: `bare` returns `self`, which has no policy.
        unsafe impl<$($generic)*> $crate::cache_policy::Bare for $Handle {
            type Handle = Self;
            #[inline(always)]
            fn bare(self) -> Self {
                self
            }
        }
        impl<$($generic)*> $crate::cache_policy::CacheHint for $Handle {
            type Hinted = $crate::cache_policy::Hinted<Self>;
            #[inline(always)]
            fn cache_hint(self, policy: $crate::cache_policy::CachePolicy) -> Self::Hinted {
                $crate::cache_policy::Hinted { handle: self, policy }
            }
        }
    )* };
}
pub(crate) use hintable;
