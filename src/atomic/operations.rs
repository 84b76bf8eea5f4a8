//! Which types have which atomic operations in which state space, and the instructions of each: the tables of `atom` (9.7.13.5)
//! and `red` (9.7.13.6).

use crate::cache_policy::L2Policy;
use crate::qualifier::{AddressSpace, B128, Sealed, TypeTag, scope, sem, space, ty};
use crate::raw::{
    self, AtomScope, AtomSem, AtomSpace, LdSem, LdStScope, LdStSpace, RedAsyncReleaseScope, RedSem,
    StAsyncScope, StSem,
};
use crate::shared::bits;

/// A state space that has atomic operations: `.global`, `.shared::cta` or `.shared::cluster`.
#[diagnostic::on_unimplemented(
    message = "there are no atomic operations in `{Self}`",
    label = "not a state space of an `AtomicRef`",
    note = "an `AtomicRef` is in `space::Global`, `space::SharedCta` or `space::SharedCluster` (PTX ISA 9.7.13.5)"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait AtomicSpace: AtomSpace + LdStSpace + Default {
    /// Whether an address of the space may be in another CTA's shared memory (`.shared::cluster`).
    #[doc(hidden)]
    const OF_PEERS: bool = false;
    /// Loads 64 bits at `addr` for a loop of compare-and-swap, if [`OF_PEERS`](Self::OF_PEERS); otherwise returns 0.
    ///
    /// # Safety
    ///
    /// The clause of [`AtomicLoadStore::load`].
    #[doc(hidden)]
    #[inline(always)]
    unsafe fn peek(_addr: Self::Address) -> u64 {
        0
    }
    /// Returns the address of a pair's second element, `bytes` after `addr`, if [`OF_PEERS`](Self::OF_PEERS); otherwise `addr`.
    #[doc(hidden)]
    #[inline(always)]
    fn after(addr: Self::Address, _bytes: u32) -> Self::Address {
        addr
    }
}
impl AtomicSpace for space::Global {}
impl AtomicSpace for space::SharedCta {}
impl AtomicSpace for space::SharedCluster {
    const OF_PEERS: bool = true;
    #[inline(always)]
    unsafe fn peek(addr: u32) -> u64 {
        // SAFETY: the clause of `peek` is the contract of `ld`.
        unsafe { raw::ld(sem::Relaxed, scope::Cluster, space::SharedCluster, ty::B64, addr) }
    }
    #[inline(always)]
    fn after(addr: u32, bytes: u32) -> u32 {
        addr + bytes
    }
}

/// Scopes that all accesses through an [`AtomicRef`](super::AtomicRef) can have: `.cta`, `.cluster`, `.gpu` or `.sys`
/// (`cuda::thread_scope`).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a scope of atomic operations",
    label = "not a `.scope`",
    note = "the scope covers all threads that access the value: `scope::Cta`, `scope::Cluster`, `scope::Gpu` or `scope::Sys`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait AtomicViewScope: AtomScope + LdStScope + Default {}
impl AtomicViewScope for scope::Cta {}
impl AtomicViewScope for scope::Cluster {}
impl AtomicViewScope for scope::Gpu {}
impl AtomicViewScope for scope::Sys {}

/// The parameter `P` of an [`AtomicRef`](super::AtomicRef) without an L2 cache policy, `()`: the bound of
/// [`AtomicRef::compare_exchange`](super::AtomicRef::compare_exchange), [`AtomicRef::load`](super::AtomicRef::load) and
/// [`AtomicRef::store`](super::AtomicRef::store).
#[diagnostic::on_unimplemented(
    message = "this operation takes no cache policy",
    label = "this reference has a cache policy",
    note = "call `compare_exchange`, `load` or `store` on the reference without the policy, the one that `.cache_hint(policy)` was called on"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Unhinted: L2Policy {}
impl Unhinted for () {}

/// Types of the values that atomic operations (`atom`, `red`) take in memory: the bound of the `T` of an
/// [`AtomicRef`](super::AtomicRef).
///
/// # Safety
///
/// Implemented only in this crate: for plain data of 2, 4, 8 or 16 bytes that `atom` takes, and for vectors of such data.
#[diagnostic::on_unimplemented(
    message = "there are no atomic operations on `{Self}`",
    label = "`atom` does not take this type",
    note = "`atom` takes `u32`, `i32`, `u64`, `i64`, `f32` and `f64`; it has a few operations on `u16`, `i16` and `B128`, and none on 8-bit types"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait AtomicValue: Copy + Sealed + 'static {}

macro_rules! values {
    ($( $T:ty ),* $(,)?) => { $(
        // SAFETY: the clause of `AtomicValue`: plain data of 2 to 16 bytes, listed by 9.7.13.5.
        unsafe impl AtomicValue for $T {}
    )* };
}
values! { u16, i16, u32, i32, f32, u64, i64, f64, B128, [f32; 2], [f32; 4] }

/// A vector that one `atom` or `red` changes, each element "separately" atomic (9.7.13.5): the bound of
/// [`GlobalAtomics::vectors`](super::GlobalAtomics::vectors).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a vector type of `atom` and `red`",
    label = "`atom` and `red` do not take this vector",
    note = "the vectors are `[f32; 2]` and `[f32; 4]`, `[f16; 2]`, `[f16; 4]`, `[f16; 8]`, `[[f16; 2]; 2]`, `[[f16; 2]; 4]`, and the same of `bf16`"
)]
pub trait AtomicVector: AtomicValue {}
impl Sealed for [f32; 2] {}
impl Sealed for [f32; 4] {}
impl AtomicVector for [f32; 2] {}
impl AtomicVector for [f32; 4] {}

mod halves {
    use half::{bf16, f16};

    use super::{AtomicValue, AtomicVector, Sealed};

    values! {
        f16, bf16, [f16; 2], [f16; 4], [f16; 8], [bf16; 2], [bf16; 4], [bf16; 8],
        [[f16; 2]; 2], [[f16; 2]; 4], [[bf16; 2]; 2], [[bf16; 2]; 4],
    }
    macro_rules! vectors {
        ($( $T:ty ),*) => { $( impl AtomicVector for $T {} )* };
    }
    vectors! { [f16; 2], [f16; 4], [f16; 8], [bf16; 2], [bf16; 4], [bf16; 8] }
    vectors! { [[f16; 2]; 2], [[f16; 2]; 4], [[bf16; 2]; 2], [[bf16; 2]; 4] }

    // `[f16; 2]` and `[bf16; 2]` are sealed already, as elements of shared memory.
    macro_rules! seal {
        ($( $T:ty ),*) => { $( impl Sealed for $T {} )* };
    }
    seal! { [f16; 4], [f16; 8], [bf16; 4], [bf16; 8] }
    seal! { [[f16; 2]; 2], [[f16; 2]; 4], [[bf16; 2]; 2], [[bf16; 2]; 4] }
}

/// Declares the trait of each group of operations: for each operation its `atom` and its `red`.
macro_rules! operation_traits {
    ($( $(#[$attribute:meta])* $Trait:ident { $( $fetch:ident, $plain:ident; )* } )*) => { $(
        $(#[$attribute])*
        pub trait $Trait<Space: AtomicSpace>: AtomicValue {
            $(
                /// Executes the `atom` of the method of [`AtomicRef`](super::AtomicRef) of this name, and returns the old value.
                ///
                /// # Safety
                ///
                /// `addr` is the address of a `Self`, aligned to its size, in live memory. Only atomic operations access the
                /// value, in scopes that include each other. With a policy, `addr` is in global memory.
                #[doc(hidden)]
                unsafe fn $fetch<S: AtomScope, P: L2Policy<Space>>(
                    sem: impl AtomSem, scope: S, addr: Space::Address, b: Self, policy: P,
                ) -> Self;
                /// Executes the `red` of the method of [`AtomicRef`](super::AtomicRef) of this name.
                ///
                /// # Safety
                ///
                /// The clauses of the `atom`.
                #[doc(hidden)]
                unsafe fn $plain<S: AtomScope, P: L2Policy<Space>>(
                    sem: impl RedSem, scope: S, addr: Space::Address, b: Self, policy: P,
                );
            )*
        }
    )* };
}

operation_traits! {
    /// Types with atomic addition (`.add`) in `Space`: the bound of [`AtomicRef::fetch_add`](super::AtomicRef::fetch_add) and
    /// [`AtomicRef::add`](super::AtomicRef::add).
    #[diagnostic::on_unimplemented(
        message = "`{Self}` has no atomic addition in `{Space}`",
        label = "`atom.add` does not take this type here",
        note = "`.add` takes `u32`, `i32`, `u64`, `i64`, `f32` and `f64` in every space, `[f32; 2]` and `[f32; 4]` in global memory, and of halves `f16` and `bf16`"
    )]
    AtomicAdd { fetch_add, add; }

    /// Types with atomic minimum and maximum (`.min`, `.max`) in `Space`: the bound of [`AtomicRef::min`](super::AtomicRef::min)
    /// and its siblings.
    #[diagnostic::on_unimplemented(
        message = "`{Self}` has no atomic minimum and maximum in `{Space}`",
        label = "`atom.min` and `atom.max` do not take this type here",
        note = "`.min` and `.max` take `u32`, `i32`, `u64` and `i64`; in global memory also vectors of `f16` and `bf16`"
    )]
    AtomicMinMax { fetch_min, min; fetch_max, max; }

    /// Types with atomic increment and decrement (`.inc`, `.dec`) in `Space`: the bound of
    /// [`AtomicRef::inc`](super::AtomicRef::inc) and its siblings.
    #[diagnostic::on_unimplemented(
        message = "`{Self}` has no atomic increment and decrement in `{Space}`",
        label = "`atom.inc` and `atom.dec` do not take this type",
        note = "`.inc` and `.dec` take only `u32`; to count without a bound, use `add`"
    )]
    AtomicIncDec { fetch_inc, inc; fetch_dec, dec; }

    /// Types with atomic bitwise operations (`.and`, `.or`, `.xor`) in `Space`: the bound of
    /// [`AtomicRef::and`](super::AtomicRef::and) and its siblings.
    #[diagnostic::on_unimplemented(
        message = "`{Self}` has no atomic bitwise operations in `{Space}`",
        label = "`atom.and`, `atom.or` and `atom.xor` do not take this type",
        note = "`.and`, `.or` and `.xor` take `u32`, `i32`, `u64` and `i64`"
    )]
    AtomicBitwise { fetch_and, and; fetch_or, or; fetch_xor, xor; }
}

/// Types with atomic exchange (`.exch`) in `Space`: the bound of [`AtomicRef::swap`](super::AtomicRef::swap).
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no atomic exchange in `{Space}`",
    label = "`atom.exch` does not take this type here",
    note = "`.exch` takes values of 32, 64 and 128 bits: `u32`, `i32`, `f32`, `u64`, `i64`, `f64` and `B128`; for 16 bits, use `compare_exchange`"
)]
pub trait AtomicSwap<Space: AtomicSpace>: AtomicValue {
    /// Executes the `atom.exch` of [`AtomicRef::swap`](super::AtomicRef::swap).
    ///
    /// # Safety
    ///
    /// The clauses of [`AtomicAdd::fetch_add`].
    #[doc(hidden)]
    unsafe fn swap<S: AtomScope, P: L2Policy<Space>>(
        sem: impl AtomSem,
        scope: S,
        addr: Space::Address,
        b: Self,
        policy: P,
    ) -> Self;
}

/// Types with atomic compare-and-swap (`.cas`) in `Space`: the bound of
/// [`AtomicRef::compare_exchange`](super::AtomicRef::compare_exchange).
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no atomic compare-and-exchange in `{Space}`",
    label = "`atom.cas` does not take this type here",
    note = "`.cas` takes single values of 16 to 128 bits, but no vectors and no pairs"
)]
pub trait AtomicCompareExchange<Space: AtomicSpace>: AtomicValue {
    /// Executes the `atom.cas` of [`AtomicRef::compare_exchange`](super::AtomicRef::compare_exchange).
    ///
    /// # Safety
    ///
    /// The clauses of [`AtomicAdd::fetch_add`].
    #[doc(hidden)]
    unsafe fn compare_exchange<S: AtomScope>(
        sem: impl AtomSem,
        scope: S,
        addr: Space::Address,
        current: Self,
        new: Self,
    ) -> Result<Self, Self>;
}

/// Types with atomic `ld` and `st` in `Space`: the bound of [`AtomicRef::load`](super::AtomicRef::load) and
/// [`AtomicRef::store`](super::AtomicRef::store).
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no atomic load and store in `{Space}`",
    label = "no atomic `ld` and `st` here",
    note = "the atomic `ld` and `st` take single values in every space, and two or four `f32`, `f16` or `bf16` in global memory"
)]
pub trait AtomicLoadStore<Space: AtomicSpace>: AtomicValue {
    /// Executes the `ld` of [`AtomicRef::load`](super::AtomicRef::load).
    ///
    /// # Safety
    ///
    /// The clauses of [`AtomicAdd::fetch_add`].
    #[doc(hidden)]
    unsafe fn load<S: LdStScope>(sem: impl LdSem, scope: S, addr: Space::Address) -> Self;
    /// Executes the `st` of [`AtomicRef::store`](super::AtomicRef::store).
    ///
    /// # Safety
    ///
    /// The clauses of [`AtomicAdd::fetch_add`].
    #[doc(hidden)]
    unsafe fn store<S: LdStScope>(sem: impl StSem, scope: S, addr: Space::Address, b: Self);
}

/// Types that `st.async.release` takes, on sm_100 and higher: the bound of
/// [`AtomicRef::store_async`](super::AtomicRef::store_async).
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no asynchronous atomic store",
    label = "no `st.async.release` takes this type here",
    note = "`st.async.release` needs the feature `sm_100` or that of a later target; it takes single values of 16 to 64 bits: `u16`, `i16`, `u32`, `i32`, `f32`, `u64`, `i64`, `f64`, `f16` and `bf16`; write 128 bits with `swap`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait AtomicStoreAsync: AtomicValue {
    /// Starts the `st.async` of [`AtomicRef::store_async`](super::AtomicRef::store_async).
    ///
    /// # Safety
    ///
    /// The clauses of [`AtomicAdd::fetch_add`], until the CTA has ended.
    #[doc(hidden)]
    unsafe fn store_async<S: StAsyncScope>(scope: S, addr: *mut u8, b: Self);
}

/// Types that `red.async.release.add` takes, on sm_100 and higher: the bound of
/// [`AtomicRef::add_async`](super::AtomicRef::add_async).
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no asynchronous atomic addition",
    label = "no `red.async.release.add` takes this type here",
    note = "`red.async.release.add` needs the feature `sm_100` or that of a later target; it takes `u32`, `i32`, `u64` and `i64`; otherwise, use `add`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait AtomicAddAsync: AtomicValue {
    /// Starts the `red.async` of [`AtomicRef::add_async`](super::AtomicRef::add_async).
    ///
    /// # Safety
    ///
    /// The clauses of [`AtomicAdd::fetch_add`], until the CTA has ended.
    #[doc(hidden)]
    unsafe fn add_async<S: RedAsyncReleaseScope>(scope: S, addr: *mut u8, b: Self);
}

/// Implements a trait by functions of [`raw`], in every space or only `in Global`. `as` names the `.type` of each type.
macro_rules! operations {
    ($Trait:ident { $( $T:ty as $Tag:ident ),* } $rows:tt) => {
        $( operations!(@impl $Trait [ Space: AtomicSpace ] Space, Space::default(), $T as $Tag, $rows); )*
    };
    ($Trait:ident in Global { $( $T:ty as $Tag:ident ),* } $rows:tt) => {
        $( operations!(@impl $Trait [] space::Global, space::Global, $T as $Tag, $rows); )*
    };
    (@impl $Trait:ident [ $($generic:tt)* ] $Space:ty, $space:expr, $T:ty as $Tag:ident,
        { $( $fetch:ident: $atom:ident, $plain:ident: $red:ident );* }
    ) => {
        #[diagnostic::do_not_recommend]
        impl<$($generic)*> $Trait<$Space> for $T { $(
            #[inline(always)]
            unsafe fn $fetch<S: AtomScope, P: L2Policy<$Space>>(
                sem: impl AtomSem, scope: S, addr: <$Space as AddressSpace>::Address, b: Self, policy: P,
            ) -> Self {
                // SAFETY: this function's `# Safety` is the instruction's contract; `bits` is between plain data of one size.
                unsafe { bits(raw::$atom(sem, scope, $space, ty::$Tag, addr, bits(b), policy.hint())) }
            }
            #[inline(always)]
            unsafe fn $plain<S: AtomScope, P: L2Policy<$Space>>(
                sem: impl RedSem, scope: S, addr: <$Space as AddressSpace>::Address, b: Self, policy: P,
            ) {
                // SAFETY: this function's `# Safety` is the instruction's contract; `bits` is as for the `atom`.
                unsafe { raw::$red(sem, scope, $space, ty::$Tag, addr, bits(b), policy.hint()) }
            }
        )* }
    };
}

// `.add` has no `.s64`; `.u64` adds the same bits.
operations! {
    AtomicAdd { u32 as U32, i32 as S32, u64 as U64, i64 as U64, f32 as F32, f64 as F64 }
    { fetch_add: atom_add, add: red_add }
}
operations! { AtomicAdd in Global { [f32; 2] as F32 } { fetch_add: atom_add_v2, add: red_add_v2 } }
operations! { AtomicAdd in Global { [f32; 4] as F32 } { fetch_add: atom_add_v4, add: red_add_v4 } }
operations! {
    AtomicMinMax { u32 as U32, i32 as S32 }
    { fetch_min: atom_min, min: red_min; fetch_max: atom_max, max: red_max }
}
operations! {
    AtomicIncDec { u32 as U32 }
    { fetch_inc: atom_inc, inc: red_inc; fetch_dec: atom_dec, dec: red_dec }
}
operations! {
    AtomicBitwise { u32 as B32, i32 as B32 }
    { fetch_and: atom_and, and: red_and; fetch_or: atom_or, or: red_or; fetch_xor: atom_xor, xor: red_xor }
}

/// Replaces the 64 bits at `addr` by `new` of them, and returns the old bits: a loop of compare-and-swap, which is atomic in
/// a peer's memory too.
///
/// # Safety
///
/// The clauses of [`AtomicAdd::fetch_add`].
#[inline(always)]
unsafe fn update_of_peer<Space: AtomicSpace>(
    sem: impl AtomSem,
    scope: impl AtomScope,
    addr: Space::Address,
    new: impl Fn(u64) -> u64,
) -> u64 {
    // SAFETY: this function's `# Safety` is the contract of `peek`.
    let mut seen = unsafe { Space::peek(addr) };
    loop {
        // SAFETY: this function's `# Safety` is the instruction's contract.
        let now = unsafe { raw::atom_cas(sem, scope, Space::default(), ty::B64, addr, seen, new(seen)) };
        if now == seen {
            return seen;
        }
        seen = now;
    }
}

/// Implements 64-bit operations by functions of [`raw`]. A space of peers lacks the instructions: there, the expression goes into
/// a loop of compare-and-swap.
macro_rules! wide_operations {
    ($Trait:ident { $( $T:ty as $Tag:ident ),* } $rows:tt) => {
        $( wide_operations!(@impl $Trait $T as $Tag, $rows); )*
    };
    (@impl $Trait:ident $T:ty as $Tag:ident, { $(
        $fetch:ident: $atom:ident, $plain:ident: $red:ident, |$a:ident, $b:ident| $new:expr
    );* }) => {
        #[diagnostic::do_not_recommend]
        impl<Space: AtomicSpace> $Trait<Space> for $T { $(
            #[inline(always)]
            unsafe fn $fetch<S: AtomScope, P: L2Policy<Space>>(
                sem: impl AtomSem, scope: S, addr: Space::Address, b: Self, policy: P,
            ) -> Self {
                if const { Space::OF_PEERS } {
                    let new = |seen: u64| {
                        let ($a, $b) = (seen as Self, b);
                        $new as u64
                    };
                    // SAFETY: this function's `# Safety` is that of `update_of_peer`.
                    return unsafe { update_of_peer::<Space>(sem, scope, addr, new) } as Self;
                }
                // SAFETY: this function's `# Safety` is the instruction's contract; `bits` is between plain data of one size.
                unsafe {
                    bits(raw::$atom(sem, scope, Space::default(), ty::$Tag, addr, bits(b), policy.hint()))
                }
            }
            #[inline(always)]
            unsafe fn $plain<S: AtomScope, P: L2Policy<Space>>(
                sem: impl RedSem, scope: S, addr: Space::Address, b: Self, policy: P,
            ) {
                if const { Space::OF_PEERS } {
                    // SAFETY: both functions have one `# Safety`; `.shared::cluster` has no policy.
                    unsafe { <Self as $Trait<Space>>::$fetch(sem, scope, addr, b, ()) };
                    return;
                }
                // SAFETY: this function's `# Safety` is the instruction's contract; `bits` is as for the `atom`.
                unsafe {
                    raw::$red(sem, scope, Space::default(), ty::$Tag, addr, bits(b), policy.hint())
                }
            }
        )* }
    };
}
wide_operations! {
    AtomicMinMax { u64 as U64, i64 as S64 }
    {
        fetch_min: atom_min, min: red_min, |a, b| Ord::min(a, b);
        fetch_max: atom_max, max: red_max, |a, b| Ord::max(a, b)
    }
}
wide_operations! {
    AtomicBitwise { u64 as B64, i64 as B64 }
    {
        fetch_and: atom_and, and: red_and, |a, b| (a & b);
        fetch_or: atom_or, or: red_or, |a, b| (a | b);
        fetch_xor: atom_xor, xor: red_xor, |a, b| (a ^ b)
    }
}

const _: () = {
    use half::{bf16, f16};

    operations! {
        AtomicAdd { f16 as F16, bf16 as Bf16 }
        { fetch_add: atom_add_noftz, add: red_add_noftz }
    }

    /// Implements the addition of a pair by one instruction, or in a space of peers by one for each element.
    macro_rules! pairs {
        ($( [$T:ty; 2] as $Tag:ident ),*) => { $(
            #[diagnostic::do_not_recommend]
            impl<Space: AtomicSpace> AtomicAdd<Space> for [$T; 2] {
                #[inline(always)]
                unsafe fn fetch_add<S: AtomScope, P: L2Policy<Space>>(
                    sem: impl AtomSem, scope: S, addr: Space::Address, b: Self, policy: P,
                ) -> Self {
                    if const { Space::OF_PEERS } {
                        let second = Space::after(addr, 2);
                        // SAFETY: this function's `# Safety`; each element of a pair is aligned and atomic by itself.
                        return unsafe { [
                            <$T as AtomicAdd<Space>>::fetch_add(sem, scope, addr, b[0], ()),
                            <$T as AtomicAdd<Space>>::fetch_add(sem, scope, second, b[1], ()),
                        ] };
                    }
                    // SAFETY: this function's `# Safety` is the instruction's contract; `bits` is between plain data of one size.
                    unsafe {
                        bits(raw::atom_add_noftz(sem, scope, Space::default(), ty::$Tag, addr, bits(b), policy.hint()))
                    }
                }
                #[inline(always)]
                unsafe fn add<S: AtomScope, P: L2Policy<Space>>(
                    sem: impl RedSem, scope: S, addr: Space::Address, b: Self, policy: P,
                ) {
                    if const { Space::OF_PEERS } {
                        let second = Space::after(addr, 2);
                        // SAFETY: this function's `# Safety`; each element of a pair is aligned and atomic by itself.
                        unsafe {
                            <$T as AtomicAdd<Space>>::add(sem, scope, addr, b[0], ());
                            <$T as AtomicAdd<Space>>::add(sem, scope, second, b[1], ());
                        }
                        return;
                    }
                    // SAFETY: this function's `# Safety` is the instruction's contract; `bits` is as for the `atom`.
                    unsafe {
                        raw::red_add_noftz(sem, scope, Space::default(), ty::$Tag, addr, bits(b), policy.hint())
                    }
                }
            }
        )* };
    }
    pairs! { [f16; 2] as F16x2, [bf16; 2] as Bf16x2 }
    operations! {
        AtomicAdd in Global { [[f16; 2]; 2] as F16x2, [[bf16; 2]; 2] as Bf16x2 }
        { fetch_add: atom_add_noftz_v2, add: red_add_noftz_v2 }
    }
    operations! {
        AtomicAdd in Global { [f16; 4] as F16, [bf16; 4] as Bf16, [[f16; 2]; 4] as F16x2, [[bf16; 2]; 4] as Bf16x2 }
        { fetch_add: atom_add_noftz_v4, add: red_add_noftz_v4 }
    }
    operations! {
        AtomicAdd in Global { [f16; 8] as F16, [bf16; 8] as Bf16 }
        { fetch_add: atom_add_noftz_v8, add: red_add_noftz_v8 }
    }
    operations! {
        AtomicMinMax in Global { [f16; 2] as F16, [bf16; 2] as Bf16, [[f16; 2]; 2] as F16x2, [[bf16; 2]; 2] as Bf16x2 }
        {
            fetch_min: atom_min_noftz_v2, min: red_min_noftz_v2;
            fetch_max: atom_max_noftz_v2, max: red_max_noftz_v2
        }
    }
    operations! {
        AtomicMinMax in Global { [f16; 4] as F16, [bf16; 4] as Bf16, [[f16; 2]; 4] as F16x2, [[bf16; 2]; 4] as Bf16x2 }
        {
            fetch_min: atom_min_noftz_v4, min: red_min_noftz_v4;
            fetch_max: atom_max_noftz_v4, max: red_max_noftz_v4
        }
    }
    operations! {
        AtomicMinMax in Global { [f16; 8] as F16, [bf16; 8] as Bf16 }
        {
            fetch_min: atom_min_noftz_v8, min: red_min_noftz_v8;
            fetch_max: atom_max_noftz_v8, max: red_max_noftz_v8
        }
    }
};

/// Implements the operations that PTX has by size: `exchange` of 32 and 64 bits, and `compare` (with `ld` and `st`) of 16 too;
/// and `ld` and `st` of `vectors`, whose elements are atomic one by one.
macro_rules! bit_operations {
    (exchange $( $T:ty as $Tag:ident ),*) => { $(
        #[diagnostic::do_not_recommend]
        impl<Space: AtomicSpace> AtomicSwap<Space> for $T {
            #[inline(always)]
            unsafe fn swap<S: AtomScope, P: L2Policy<Space>>(
                sem: impl AtomSem, scope: S, addr: Space::Address, b: Self, policy: P,
            ) -> Self {
                // SAFETY: this function's `# Safety` is the instruction's contract; `bits` is between plain data of one size.
                unsafe { bits(raw::atom_exch(sem, scope, Space::default(), ty::$Tag, addr, bits(b), policy.hint())) }
            }
        }
    )* };
    (compare $( $T:ty as $Tag:ident ),*) => { $(
        #[diagnostic::do_not_recommend]
        impl<Space: AtomicSpace> AtomicCompareExchange<Space> for $T {
            #[inline(always)]
            unsafe fn compare_exchange<S: AtomScope>(
                sem: impl AtomSem, scope: S, addr: Space::Address, current: Self, new: Self,
            ) -> Result<Self, Self> {
                // SAFETY: this function's `# Safety` is the instruction's contract; `bits` is between plain data of one size.
                unsafe {
                    let current: <ty::$Tag as TypeTag>::Value = bits(current);
                    let old = raw::atom_cas(sem, scope, Space::default(), ty::$Tag, addr, current, bits(new));
                    if old == current { Ok(bits(old)) } else { Err(bits(old)) }
                }
            }
        }
        #[diagnostic::do_not_recommend]
        impl<Space: AtomicSpace> AtomicLoadStore<Space> for $T {
            #[inline(always)]
            unsafe fn load<S: LdStScope>(sem: impl LdSem, scope: S, addr: Space::Address) -> Self {
                // SAFETY: this function's `# Safety` is the instruction's contract; `bits` is between plain data of one size.
                unsafe { bits(raw::ld(sem, scope, Space::default(), ty::$Tag, addr)) }
            }
            #[inline(always)]
            unsafe fn store<S: LdStScope>(sem: impl StSem, scope: S, addr: Space::Address, b: Self) {
                // SAFETY: this function's `# Safety` is the instruction's contract; `bits` is as for `ld`.
                unsafe { raw::st(sem, scope, Space::default(), ty::$Tag, addr, bits(b)) }
            }
        }
    )* };
    (vectors $( $T:ty as $Tag:ident: $ld:ident $st:ident ),*) => { $(
        #[diagnostic::do_not_recommend]
        impl AtomicLoadStore<space::Global> for $T {
            #[inline(always)]
            unsafe fn load<S: LdStScope>(sem: impl LdSem, scope: S, addr: *mut u8) -> Self {
                // SAFETY: this function's `# Safety` is the instruction's contract; `bits` is between plain data of one size.
                unsafe { bits(raw::$ld(sem, scope, space::Global, ty::$Tag, addr)) }
            }
            #[inline(always)]
            unsafe fn store<S: LdStScope>(sem: impl StSem, scope: S, addr: *mut u8, b: Self) {
                // SAFETY: this function's `# Safety` is the instruction's contract; `bits` is as for `ld`.
                unsafe { raw::$st(sem, scope, space::Global, ty::$Tag, addr, bits(b)) }
            }
        }
    )* };
}
bit_operations! { exchange u32 as B32, i32 as B32, f32 as B32, u64 as B64, i64 as B64, f64 as B64 }
bit_operations! {
    compare u16 as B16, i16 as B16, half::f16 as B16, half::bf16 as B16, u32 as B32, i32 as B32, f32 as B32, u64 as B64,
    i64 as B64, f64 as B64
}
bit_operations! { vectors [f32; 2] as F32: ld_v2 st_v2, [f32; 4] as F32: ld_v4 st_v4 }
bit_operations! {
    vectors
    [half::f16; 2] as B16: ld_v2 st_v2, [half::f16; 4] as B16: ld_v4 st_v4,
    [half::bf16; 2] as B16: ld_v2 st_v2, [half::bf16; 4] as B16: ld_v4 st_v4
}

// The 128-bit functions of `raw` are separate: they take no `.type` tag.
#[diagnostic::do_not_recommend]
impl<Space: AtomicSpace> AtomicSwap<Space> for B128 {
    #[inline(always)]
    unsafe fn swap<S: AtomScope, P: L2Policy<Space>>(
        sem: impl AtomSem,
        scope: S,
        addr: Space::Address,
        b: Self,
        policy: P,
    ) -> Self {
        // SAFETY: this function's `# Safety` is the instruction's contract.
        unsafe { raw::atom_exch_b128(sem, scope, Space::default(), addr, b, policy.hint()) }
    }
}
#[diagnostic::do_not_recommend]
impl<Space: AtomicSpace> AtomicCompareExchange<Space> for B128 {
    #[inline(always)]
    unsafe fn compare_exchange<S: AtomScope>(
        sem: impl AtomSem,
        scope: S,
        addr: Space::Address,
        current: Self,
        new: Self,
    ) -> Result<Self, Self> {
        // SAFETY: this function's `# Safety` is the instruction's contract.
        let old = unsafe { raw::atom_cas_b128(sem, scope, Space::default(), addr, current, new) };
        if old == current { Ok(old) } else { Err(old) }
    }
}
#[diagnostic::do_not_recommend]
impl<Space: AtomicSpace> AtomicLoadStore<Space> for B128 {
    #[inline(always)]
    unsafe fn load<S: LdStScope>(sem: impl LdSem, scope: S, addr: Space::Address) -> Self {
        // SAFETY: this function's `# Safety` is the instruction's contract.
        unsafe { raw::ld_b128(sem, scope, Space::default(), addr) }
    }
    #[inline(always)]
    unsafe fn store<S: LdStScope>(sem: impl StSem, scope: S, addr: Space::Address, b: Self) {
        // SAFETY: this function's `# Safety` is the instruction's contract.
        unsafe { raw::st_b128(sem, scope, Space::default(), addr, b) }
    }
}

/// Implements an asynchronous operation by its function of [`raw`]. `as` names the `.type` of each type.
#[cfg(sm_100)]
macro_rules! async_operations {
    ($Trait:ident: $name:ident $Scope:ident $row:ident { $( $T:ty as $Tag:ident ),* }) => { $(
        #[diagnostic::do_not_recommend]
        impl $Trait for $T {
            #[inline(always)]
            unsafe fn $name<S: $Scope>(scope: S, addr: *mut u8, b: Self) {
                // SAFETY: this function's `# Safety` is the instruction's contract; `bits` is between plain data of one size.
                unsafe { raw::$row(scope, space::Global, ty::$Tag, addr, bits(b)) }
            }
        }
    )* };
}
#[cfg(sm_100)]
async_operations! {
    AtomicStoreAsync: store_async StAsyncScope st_async_release {
        u16 as B16, i16 as B16, u32 as B32, i32 as B32, f32 as B32, u64 as B64, i64 as B64, f64 as B64,
        half::f16 as B16, half::bf16 as B16
    }
}
#[cfg(sm_100)]
async_operations! {
    AtomicAddAsync: add_async RedAsyncReleaseScope red_async_release_add {
        u32 as U32, i32 as S32, u64 as U64, i64 as S64
    }
}
