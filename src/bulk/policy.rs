//! L2 cache policies (9.7.9.18).

use crate::global::Global;
use crate::qualifier::{AddressSpace, Sealed, cache_hint, evict, space};
use crate::raw::{self, AtomCacheHint, L2CacheHint, PrimaryPriority, SecondaryPriority};
use crate::shared::Element;

/// An L2 cache policy, for copies and atomic operations that take one. It is a hint: it changes how fast things are, and nothing
/// else.
///
/// ```
/// # use ptx::{bulk::{self, CachePolicy}, global::Tiles, launch::Cta};
/// # fn kernel(cta: &Cta, weights: Tiles<f32, 1024>) {
/// let keep = CachePolicy::evict_last(); // made once, given to any number of copies
/// for tile in [weights.get(0), weights.get(1)].into_iter().flatten() {
///     bulk::prefetch(cta, tile.cache_hint(keep));
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
/// # use ptx::{bulk::{self, CachePolicy, Hinted}, global::GlobalTile, launch::Cta, mbarrier::{Mbarrier, Ready}};
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

/// Gives handles the method that makes them `Hinted`, each with the example in its documentation.
macro_rules! hintable {
    ($( [ $($generic:tt)* ] $Handle:ty, $copy:literal: $($example:literal)+; )*) => { $(
        // SAFETY: itself.
        unsafe impl<$($generic)*> Bare for $Handle {
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
            pub fn cache_hint(self, policy: $crate::bulk::CachePolicy) -> $crate::bulk::Hinted<Self> {
                $crate::bulk::Hinted { handle: self, policy }
            }
        }
    )* };
}
hintable! {
    [T, const N: usize] crate::global::GlobalTile<T, N>, "a load or a prefetch":
        "# use ptx::{bulk::{self, CachePolicy}, global::GlobalTile, launch::Cta};"
        "# fn kernel(cta: &Cta, tile: GlobalTile<f32, 1024>) {"
        "bulk::prefetch(cta, tile.cache_hint(CachePolicy::evict_last()));"
        "# }";
    [T, const N: usize] crate::global::GlobalTileMut<T, N>, "a load or a store":
        "# use ptx::{bulk::{self, CachePolicy}, global::GlobalTileMut, launch::Cta, shared::{Fenced, Shared}};"
        "# fn kernel<'s>(cta: &Cta, tile: Shared<'s, f32, 64, Fenced>, to: GlobalTileMut<f32, 64>) -> Shared<'s, f32, 64, Fenced> {"
        "// The next kernel reads it."
        "let to = to.cache_hint(CachePolicy::evict_last());"
        "let (tile, _to) = bulk::store(cta, tile, to).commit(cta).wait(cta);"
        "# tile"
        "# }";
    [T, const N: usize] super::ReduceTile<T, N>, "a reduction":
        "# use ptx::{bulk::{self, CachePolicy, ReduceTile}, launch::Cta, qualifier::op, shared::{Fenced, Shared}};"
        "# fn kernel<'s>(cta: &Cta, part: Shared<'s, f32, 64, Fenced>, sums: ReduceTile<f32, 64>) -> Shared<'s, f32, 64, Fenced> {"
        "let sums = sums.cache_hint(CachePolicy::evict_last());"
        "let (part, _writing) = bulk::reduce(cta, op::Add, part, sums).commit(cta).wait_read(cta);"
        "# part"
        "# }";
    [T, S: crate::tensor::LoadShape] crate::tensor::TensorTile<T, S>, "a load or a prefetch":
        "# use ptx::{bulk::CachePolicy, launch::Cta, tensor::{self, Box2, TensorMap}};"
        "# fn kernel(cta: &Cta, map: TensorMap<f32, Box2<64, 32>>) {"
        "let corner = map.at_const::<0, 0>().cache_hint(CachePolicy::evict_last());"
        "tensor::prefetch(cta, corner);"
        "# }";
    [T, S: crate::tensor::StoreShape] crate::tensor::TensorTileMut<T, S>, "a load or a store":
        "# use ptx::{bulk::CachePolicy, launch::Cta, shared::{Fenced, Shared}, tensor::{self, Box2, TensorTileMut}};"
        "# fn kernel<'s>(cta: &Cta, tile: Shared<'s, f32, 2048, Fenced>, dst: TensorTileMut<f32, Box2<64, 32>>)"
        "# -> Shared<'s, f32, 2048, Fenced> {"
        "let dst = dst.cache_hint(CachePolicy::evict_first());"
        "let (tile, _dst) = tensor::store(cta, tile, dst).commit(cta).wait(cta);"
        "# tile"
        "# }";
    [T, S: crate::tensor::ReduceShape] crate::tensor::TensorReduction<T, S>, "a reduction":
        "# use ptx::{bulk::CachePolicy, launch::Cta, qualifier::op, shared::{Fenced, Shared}, tensor::{self, Box2, TensorReduction}};"
        "# fn kernel<'s>(cta: &Cta, tile: Shared<'s, i32, 2048, Fenced>, dst: TensorReduction<i32, Box2<64, 32>>)"
        "# -> Shared<'s, i32, 2048, Fenced> {"
        "let dst = dst.cache_hint(CachePolicy::evict_last());"
        "let (tile, _) = tensor::reduce(cta, op::Add, tile, dst).commit(cta).wait(cta);"
        "# tile"
        "# }";
}
