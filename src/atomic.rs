//! Atomic operations on shared and global memory, like CUDA's `atomicAdd` and `cuda::atomic_ref`: `atom` (9.7.13.5), `red`
//! (9.7.13.6), and the atomic `ld` and `st` (9.7.9.8, 9.7.9.11).
//!
//! An [`AtomicRef`] refers to one value that many threads change at the same time. Its type names the type of the value, the
//! scope of every access and the state space. It has only the operations that PTX has for that type in that space.
//!
//! Shared memory is atomic while its handle is in the state [`Atomic`]. Global memory is atomic through [`GlobalAtomics`].
//!
//! ```text
//!   Written, Published, Loaded ── into_atomic ──► Atomic ── publish ──► Published (readable)
//!                                                   │
//!                                                   └── to_async ──► Fenced ── into_free ──► Free
//! ```
//!
//! An operation that returns the old value (`fetch_…`, `swap`, `compare_exchange`) is an `atom` and takes any ordering except
//! `.sc`. An operation that returns nothing (`add`, `min`, …) is a `red`: the thread waits for nothing, so the ordering is
//! `.relaxed` or `.release`. A method that has the name of a method of [`core::sync::atomic`] does the same as that method.
//!
//! # The scope of a reference
//!
//! The scope of an access (`cuda::thread_scope`) is a set of threads: those of the CTA, the cluster, the GPU or the system.
//! 9.7.13.5: "Two atomic operations (`atom` or `red`) are performed atomically with respect to each other only if each operation
//! specifies a scope that includes the other." So the scope is not an argument of an operation: it is fixed where memory becomes
//! atomic. Shared memory has `.cta`, a peer's shared memory has `.cluster` ([`Peer::atomic`](crate::cluster::Peer::atomic)), and
//! the `unsafe` [`GlobalAtomics::from_raw`] names the scope of global memory. Every [`AtomicRef`] of the memory has that scope.
//!
//! # A peer's shared memory
//!
//! In `.shared::cluster` (distributed shared memory, DSMEM) a value may be in the shared memory of another CTA. The GPU lacks
//! instructions for some operations there, and the code that ptxas makes of these operations is not atomic: see
//! [`raw::atom_and`]. This module builds them from other instructions:
//!
//! - `.and`, `.or`, `.xor`, `.min` and `.max` of 64 bits are a loop of compare-and-swap.
//!   `ld.relaxed.cluster.shared::cluster.b64 seen, [addr];` reads the value, then
//!   `atom{.sem}{.scope}.shared::cluster.cas.b64 now, [addr], seen, new;` repeats until `now` is `seen`. The exchange that
//!   succeeds has the requested ordering: it reads the old value and writes the new one.
//! - `.add` of `[f16; 2]` and `[bf16; 2]` is two additions, one for each element, by
//!   `atom{.sem}{.scope}.shared::cluster.add.noftz.f16`. The packed form promises no more: each element is atomic by itself.
//!
//! # Floats
//!
//! Floating-point `add` "rounds to nearest even". 9.7.13.5 continues: "Current implementation of `atom.add.f32` on global memory
//! flushes subnormal inputs and results to sign-preserving zero; whereas `atom.add.f32` on shared memory supports subnormal
//! inputs and results". 9.7.13.6 says the same of `red`. `f64`, `f16` and `bf16` (`.noftz`) are not flushed. A sum of floats
//! depends on the order of the additions, and that order differs from run to run.
//!
//! # Cache policies
//!
//! [`AtomicRef::cache_hint`] adds an L2 cache policy (L2 eviction policy) to a reference to global memory. The operations of that
//! reference have `.L2::cache_hint`. The reference has no `compare_exchange`: `.cas` takes no policy.
//!
//! # Asynchronous operations
//!
//! On sm_100 and higher, [`AtomicRef::store_async`] and [`AtomicRef::add_async`] start a store or an addition in global memory
//! and do not wait for it: `st.async` (9.7.9.12) and `red.async` (9.7.13.7), with release semantics in scope `.gpu` or `.sys`.
//! Their forms with `.mmio` are only in [`raw`]: an [`AtomicRef`] cannot make promises about memory-mapped I/O.
//!
//! # Half precision
//!
//! With the feature `half`, `half::f16` and `half::bf16` have `add` and `compare_exchange`, and in shared memory `load` and
//! `store`. `[f16; 2]` and `[bf16; 2]` add as the packed types `.f16x2` and `.bf16x2`. Vectors of both have `add`, `min` and
//! `max` in global memory.

use core::marker::PhantomData;

use crate::cache_policy::{CachePolicy, L2Policy};
use crate::global::ALIGN;
use crate::group::Cta;
use crate::qualifier::{AddressSpace, B128, Sealed, TypeTag, scope, sem, space, ty};
use crate::raw::{
    self, AtomScope, AtomSem, AtomSpace, LdSem, LdStScope, LdStSpace, RedAsyncReleaseScope, RedSem,
    StAsyncScope, StSem,
};
pub use crate::shared::{Atomic, AtomicAccess, IntoAtomic};
use crate::shared::{Element, Shared, bits};

/// A state space that has atomic operations: `.global`, `.shared::cta` or `.shared::cluster`.
#[diagnostic::on_unimplemented(
    message = "there are no atomic operations in `{Self}`",
    label = "not a state space of an `AtomicRef`",
    note = "an `AtomicRef` is in `space::Global`, `space::SharedCta` or `space::SharedCluster` (PTX ISA 9.7.13.5)"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait AtomicSpace: AtomSpace + Default {
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

/// Scopes that all accesses through an [`AtomicRef`] can have: `.cta`, `.cluster`, `.gpu` or `.sys` (`cuda::thread_scope`).
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

/// The parameter `P` of an [`AtomicRef`] without an L2 cache policy, `()`: the bound of [`AtomicRef::compare_exchange`].
#[diagnostic::on_unimplemented(
    message = "`atom.cas` takes no cache policy",
    label = "this reference has a cache policy",
    note = "call `compare_exchange` on the reference without the policy, the one that `.cache_hint(policy)` was called on (PTX ISA 9.7.13.5)"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Unhinted: L2Policy {}
impl Unhinted for () {}

/// Types of the values that atomic operations (`atom`, `red`) take in memory: the bound of the `T` of an [`AtomicRef`].
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
/// [`GlobalAtomics::vectors`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a vector type of `atom` and `red`",
    label = "`atom` and `red` do not take this vector",
    note = "the vectors are `[f32; 2]` and `[f32; 4]`; with the feature `half` also `[f16; 2]`, `[f16; 4]`, `[f16; 8]`, `[[f16; 2]; 2]`, `[[f16; 2]; 4]`, and the same of `bf16`"
)]
pub trait AtomicVector: AtomicValue {}
impl Sealed for [f32; 2] {}
impl Sealed for [f32; 4] {}
impl AtomicVector for [f32; 2] {}
impl AtomicVector for [f32; 4] {}

#[cfg(feature = "half")]
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
                /// Executes the `atom` of the method of [`AtomicRef`] of this name, and returns the old value.
                ///
                /// # Safety
                ///
                /// `addr` is the address of a `Self`, aligned to its size, in live memory. Only atomic operations access the
                /// value, in scopes that include each other. With a policy, `addr` is in global memory.
                #[doc(hidden)]
                unsafe fn $fetch<S: AtomScope, P: L2Policy<Space>>(
                    sem: impl AtomSem, scope: S, addr: Space::Address, b: Self, policy: P,
                ) -> Self;
                /// Executes the `red` of the method of [`AtomicRef`] of this name.
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
    /// Types with atomic addition (`.add`) in `Space`: the bound of [`AtomicRef::fetch_add`] and [`AtomicRef::add`].
    #[diagnostic::on_unimplemented(
        message = "`{Self}` has no atomic addition in `{Space}`",
        label = "`atom.add` does not take this type here",
        note = "`.add` takes `u32`, `i32`, `u64`, `i64`, `f32` and `f64` in every space, `[f32; 2]` and `[f32; 4]` in global memory, and `f16` and `bf16` with the feature `half`"
    )]
    AtomicAdd { fetch_add, add; }

    /// Types with atomic minimum and maximum (`.min`, `.max`) in `Space`: the bound of [`AtomicRef::min`] and its siblings.
    #[diagnostic::on_unimplemented(
        message = "`{Self}` has no atomic minimum and maximum in `{Space}`",
        label = "`atom.min` and `atom.max` do not take this type here",
        note = "`.min` and `.max` take `u32`, `i32`, `u64` and `i64`; in global memory also vectors of `f16` and `bf16`, with the feature `half`"
    )]
    AtomicMinMax { fetch_min, min; fetch_max, max; }

    /// Types with atomic increment and decrement (`.inc`, `.dec`) in `Space`: the bound of [`AtomicRef::inc`] and its siblings.
    #[diagnostic::on_unimplemented(
        message = "`{Self}` has no atomic increment and decrement in `{Space}`",
        label = "`atom.inc` and `atom.dec` do not take this type",
        note = "`.inc` and `.dec` take only `u32`; to count without a bound, use `add`"
    )]
    AtomicIncDec { fetch_inc, inc; fetch_dec, dec; }

    /// Types with atomic bitwise operations (`.and`, `.or`, `.xor`) in `Space`: the bound of [`AtomicRef::and`] and its siblings.
    #[diagnostic::on_unimplemented(
        message = "`{Self}` has no atomic bitwise operations in `{Space}`",
        label = "`atom.and`, `atom.or` and `atom.xor` do not take this type",
        note = "`.and`, `.or` and `.xor` take `u32`, `i32`, `u64` and `i64`"
    )]
    AtomicBitwise { fetch_and, and; fetch_or, or; fetch_xor, xor; }
}

/// Types with atomic exchange (`.exch`) in `Space`: the bound of [`AtomicRef::swap`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no atomic exchange in `{Space}`",
    label = "`atom.exch` does not take this type here",
    note = "`.exch` takes values of 32, 64 and 128 bits: `u32`, `i32`, `f32`, `u64`, `i64`, `f64` and `B128`; for 16 bits, use `compare_exchange`"
)]
pub trait AtomicSwap<Space: AtomicSpace>: AtomicValue {
    /// Executes the `atom.exch` of [`AtomicRef::swap`].
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

/// Types with atomic compare-and-swap (`.cas`) in `Space`: the bound of [`AtomicRef::compare_exchange`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no atomic compare-and-exchange in `{Space}`",
    label = "`atom.cas` does not take this type here",
    note = "`.cas` takes single values of 16 to 128 bits, but no vectors and no pairs"
)]
pub trait AtomicCompareExchange<Space: AtomicSpace>: AtomicValue {
    /// Executes the `atom.cas` of [`AtomicRef::compare_exchange`].
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

/// Types with atomic `ld` and `st` in `Space`: the bound of [`AtomicRef::load`] and [`AtomicRef::store`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no atomic load and store in `{Space}`",
    label = "no atomic `ld` and `st` here",
    note = "the atomic `ld` and `st` take single values in shared memory; otherwise, read with `fetch_or(0, …)` or `fetch_add(0, …)`, and write with `swap`"
)]
pub trait AtomicLoadStore<Space: AtomicSpace>: AtomicValue {
    /// Executes the `ld` of [`AtomicRef::load`].
    ///
    /// # Safety
    ///
    /// The clauses of [`AtomicAdd::fetch_add`].
    #[doc(hidden)]
    unsafe fn load<S: LdStScope>(sem: impl LdSem, scope: S, addr: Space::Address) -> Self;
    /// Executes the `st` of [`AtomicRef::store`].
    ///
    /// # Safety
    ///
    /// The clauses of [`AtomicAdd::fetch_add`].
    #[doc(hidden)]
    unsafe fn store<S: LdStScope>(sem: impl StSem, scope: S, addr: Space::Address, b: Self);
}

/// Types that `st.async.release` takes, on sm_100 and higher: the bound of [`AtomicRef::store_async`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no asynchronous atomic store",
    label = "no `st.async.release` takes this type here",
    note = "`st.async.release` needs the feature `sm_100` or that of a later target; it takes single values of 16 to 64 bits: `u16`, `i16`, `u32`, `i32`, `f32`, `u64`, `i64` and `f64`, and with the feature `half` `f16` and `bf16`; write 128 bits with `swap`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait AtomicStoreAsync: AtomicValue {
    /// Starts the `st.async` of [`AtomicRef::store_async`].
    ///
    /// # Safety
    ///
    /// The clauses of [`AtomicAdd::fetch_add`], until the CTA has ended.
    #[doc(hidden)]
    unsafe fn store_async<S: StAsyncScope>(scope: S, addr: *mut u8, b: Self);
}

/// Types that `red.async.release.add` takes, on sm_100 and higher: the bound of [`AtomicRef::add_async`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no asynchronous atomic addition",
    label = "no `red.async.release.add` takes this type here",
    note = "`red.async.release.add` needs the feature `sm_100` or that of a later target; it takes `u32`, `i32`, `u64` and `i64`; otherwise, use `add`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait AtomicAddAsync: AtomicValue {
    /// Starts the `red.async` of [`AtomicRef::add_async`].
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

#[cfg(feature = "half")]
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

/// Implements the operations that PTX has by size: `exchange` of 32 and 64 bits, and `compare` (with `ld` and `st`) of 16 too.
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
        impl<Space: AtomicSpace + LdStSpace + AddressSpace<Address = u32>> AtomicLoadStore<Space> for $T {
            #[inline(always)]
            unsafe fn load<S: LdStScope>(sem: impl LdSem, scope: S, addr: u32) -> Self {
                // SAFETY: this function's `# Safety` is the instruction's contract; `bits` is between plain data of one size.
                unsafe { bits(raw::ld(sem, scope, Space::default(), ty::$Tag, addr)) }
            }
            #[inline(always)]
            unsafe fn store<S: LdStScope>(sem: impl StSem, scope: S, addr: u32, b: Self) {
                // SAFETY: this function's `# Safety` is the instruction's contract; `bits` is as for `ld`.
                unsafe { raw::st(sem, scope, Space::default(), ty::$Tag, addr, bits(b)) }
            }
        }
    )* };
}
bit_operations! { exchange u32 as B32, i32 as B32, f32 as B32, u64 as B64, i64 as B64, f64 as B64 }
bit_operations! {
    compare u16 as B16, i16 as B16, u32 as B32, i32 as B32, f32 as B32, u64 as B64, i64 as B64, f64 as B64
}
#[cfg(feature = "half")]
bit_operations! { compare half::f16 as B16, half::bf16 as B16 }

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
impl<Space: AtomicSpace + LdStSpace + AddressSpace<Address = u32>> AtomicLoadStore<Space> for B128 {
    #[inline(always)]
    unsafe fn load<S: LdStScope>(sem: impl LdSem, scope: S, addr: u32) -> Self {
        // SAFETY: this function's `# Safety` is the instruction's contract.
        unsafe { raw::ld_b128(sem, scope, Space::default(), addr) }
    }
    #[inline(always)]
    unsafe fn store<S: LdStScope>(sem: impl StSem, scope: S, addr: u32, b: Self) {
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
        u16 as B16, i16 as B16, u32 as B32, i32 as B32, f32 as B32, u64 as B64, i64 as B64, f64 as B64
    }
}
#[cfg(all(sm_100, feature = "half"))]
async_operations! {
    AtomicStoreAsync: store_async StAsyncScope st_async_release { half::f16 as B16, half::bf16 as B16 }
}
#[cfg(sm_100)]
async_operations! {
    AtomicAddAsync: add_async RedAsyncReleaseScope red_async_release_add {
        u32 as U32, i32 as S32, u64 as U64, i64 as S64
    }
}

/// A reference to one value that only atomic operations access, like `cuda::atomic_ref`: a `T` in `Space`, with scope `S` for
/// every access.
///
/// It comes from [`Shared::atomic`], [`Peer::atomic`](crate::cluster::Peer::atomic) or [`GlobalAtomics::get`]. Any number of
/// threads may refer to the same value, and each thread uses its reference independently.
///
/// In the PTX of its methods, `.sem` is the argument `sem`, `.scope` is `S`, `.space` is `Space`, and `.type` is the type of `T`.
/// For signed and unsigned integers alike, `.type` is `.b32` or `.b64` where the operation is bitwise; for `.add` of an `i64` it
/// is `.u64`. `P` is `()`, or the L2 cache policy of [`cache_hint`](AtomicRef::cache_hint).
///
/// ```
/// # use ptx::{atomic::AtomicRef, qualifier::{scope, sem, space}};
/// # fn kernel(tickets: AtomicRef<'_, u32, scope::Gpu, space::Global>) {
/// let ticket = tickets.fetch_add(1, sem::Relaxed); // atom.relaxed.gpu.global.add.u32
/// tickets.max(7, sem::Release); // red.release.gpu.global.max.u32
/// # }
/// ```
#[derive(Debug)]
pub struct AtomicRef<'a, T, S, Space: AtomicSpace, P = ()> {
    addr: Space::Address,
    scope: S,
    /// The L2 cache policy, or `()`. Invariant: a `CachePolicy` only in `space::Global`.
    policy: P,
    /// Not `Send`, not `Sync`: a shared address is valid only in its own CTA.
    _value: PhantomData<(&'a (), *mut T)>,
}

impl<T, S: Copy, Space: AtomicSpace, P: Copy> Clone for AtomicRef<'_, T, S, Space, P> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, S: Copy, Space: AtomicSpace, P: Copy> Copy for AtomicRef<'_, T, S, Space, P> {}

impl<T: AtomicValue, S: AtomicViewScope, Space: AtomicSpace> AtomicRef<'_, T, S, Space> {
    /// Refers to the value at `addr`. The clauses of `# Safety` are the invariant of [`AtomicRef`].
    ///
    /// # Safety
    ///
    /// 1. `addr` is the address in `Space` of a `T`, aligned to its size, in memory that lives through the lifetime.
    /// 2. Through the lifetime, only atomic operations access the value: of the size of `T` or, for a vector `T`, of its
    ///    elements, in scopes that include `S` and that `S` includes.
    #[inline(always)]
    pub(crate) unsafe fn new(addr: Space::Address) -> Self {
        AtomicRef { addr, scope: S::default(), policy: (), _value: PhantomData }
    }
}

impl<'a, T: AtomicValue, S: AtomicViewScope> AtomicRef<'a, T, S, space::Global> {
    /// Returns a reference to the same value with an L2 cache policy (L2 eviction policy) for each operation. The returned
    /// reference has no [`compare_exchange`](AtomicRef::compare_exchange): `.cas` takes no policy.
    ///
    /// PTX of that reference's methods: `.L2::cache_hint` before `.vec` and `.type`, and `policy` as the last operand.
    ///
    /// ```
    /// # use ptx::{atomic::GlobalAtomics, cache_policy::CachePolicy, qualifier::{scope, sem}};
    /// # fn kernel(bins: GlobalAtomics<u32, scope::Gpu>) {
    /// let keep = CachePolicy::evict_last();
    /// if let Some(bin) = bins.get(17) {
    ///     bin.cache_hint(keep).add(1, sem::Relaxed); // red.relaxed.gpu.global.add.L2::cache_hint.u32
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn cache_hint(self, policy: CachePolicy) -> AtomicRef<'a, T, S, space::Global, CachePolicy> {
        AtomicRef { addr: self.addr, scope: self.scope, policy, _value: PhantomData }
    }
}

// Nothing waits for an asynchronous operation, so the value has to stay until the CTA has ended. `'static` says that it stays
// until the grid ends.
impl<T: AtomicValue, S: AtomicViewScope> AtomicRef<'static, T, S, space::Global> {
    /// Starts storing `value` with release semantics, and does not wait for the store (`st.async.release`). A thread that
    /// acquires the value sees everything that this thread did before the call.
    ///
    /// The store is complete at the latest when the CTA has ended. Nothing tells the thread when. Later accesses of this thread,
    /// even to the same value, are not ordered with the store. The method exists on sm_100 and higher, for integers and floats of
    /// 16 to 64 bits. Call it from one thread: ptxas 13.5 turns a call by a warp into a loop over the lanes.
    ///
    /// PTX: `st.async.release{.scope}.global{.type} [addr], value;`, where `.type` is `.b16`, `.b32` or `.b64`, and `.scope` is
    /// `.gpu` or `.sys`.
    ///
    /// ```
    /// # use ptx::{atomic::GlobalAtomics, launch::Cta, qualifier::scope};
    /// # #[cfg(feature = "sm_100a")]
    /// # fn kernel(cta: &Cta, flags: GlobalAtomics<u32, scope::Gpu>) {
    /// // … write the data that the flag announces …
    /// if let Some(flag) = flags.get(cta.grid_rank() as usize) {
    ///     flag.store_async(1); // st.async.release.gpu.global.b32
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn store_async(self, value: T)
    where
        T: AtomicStoreAsync,
        S: StAsyncScope,
    {
        // SAFETY: the invariant of `AtomicRef`, which `'static` extends past the end of the CTA. The store is atomic:
        // 9.7.9.12, "The store operation is a strong memory operation with `.release` semantics at the scope".
        unsafe { T::store_async(self.scope, self.addr, value) }
    }

    /// Starts adding `b` to the value with release semantics, and does not wait for the addition (`red.async.release.add`).
    /// Integers wrap. Completion and order with later accesses are as for [`store_async`](Self::store_async). The method exists
    /// on sm_100 and higher, for `u32`, `i32`, `u64` and `i64`.
    ///
    /// PTX: `red.async.release{.scope}.global.add{.type} [addr], b;`, where `.type` is `.u32`, `.s32`, `.u64` or `.s64`, and
    /// `.scope` is `.gpu` or `.sys`.
    #[inline(always)]
    pub fn add_async(self, b: T)
    where
        T: AtomicAddAsync,
        S: RedAsyncReleaseScope,
    {
        // SAFETY: the invariant of `AtomicRef`, which `'static` extends past the end of the CTA. The addition is atomic:
        // 9.7.13.7, "The reduce operation is a strong memory operation with `.release` semantics".
        unsafe { T::add_async(self.scope, self.addr, b) }
    }
}

impl<T: AtomicValue, S: AtomicViewScope, Space: AtomicSpace, P: L2Policy<Space>>
    AtomicRef<'_, T, S, Space, P>
{
    /// Returns the address of the value: a `u32` in shared memory, a `*mut u8` in global memory.
    #[inline(always)]
    pub fn addr(self) -> Space::Address {
        self.addr
    }

    /// Loads the value atomically (`ld.relaxed` or `ld.acquire`; `load` of `cuda::atomic_ref`). Only single values in shared
    /// memory have a load; for other values, use `fetch_or(0, …)` or `fetch_add(0, …)`.
    ///
    /// PTX: `ld{.sem}{.scope}{.space}{.type} d, [addr];`
    ///
    /// ```
    /// # use ptx::{atomic::AtomicRef, qualifier::{scope, sem, space}};
    /// # fn kernel(flag: AtomicRef<'_, u32, scope::Cta, space::SharedCta>) {
    /// if flag.load(sem::Acquire) != 0 { // ld.acquire.cta.shared::cta.b32
    ///     // … read the data that the flag announces: the other thread wrote it before `flag.store(1, sem::Release)` …
    /// }
    /// # }
    /// ```
    #[must_use = "a load has no effect without its value: use the value, or delete the call"]
    #[inline(always)]
    pub fn load(self, sem: impl LdSem) -> T
    where
        T: AtomicLoadStore<Space>,
    {
        // SAFETY: the invariant of `AtomicRef` is the contract of `AtomicLoadStore::load`.
        unsafe { T::load(sem, self.scope, self.addr) }
    }

    /// Stores `value` atomically (`st.relaxed` or `st.release`; `store` of `cuda::atomic_ref`). Only single values in shared
    /// memory have a store; for other values, use [`swap`](Self::swap).
    ///
    /// PTX: `st{.sem}{.scope}{.space}{.type} [addr], value;`
    #[inline(always)]
    pub fn store(self, value: T, sem: impl StSem)
    where
        T: AtomicLoadStore<Space>,
    {
        // SAFETY: the invariant of `AtomicRef` is the contract of `AtomicLoadStore::store`.
        unsafe { T::store(sem, self.scope, self.addr, value) }
    }

    /// Atomically adds `b` to the value, and returns the old value (CUDA's `atomicAdd`); integers wrap.
    ///
    /// PTX: `atom{.sem}{.scope}{.space}.add{.type} d, [addr], b;`. Half precision has `.add.noftz`, and a vector has `.v2`, `.v4`
    /// or `.v8`; a pair in `.shared::cluster` is added [by element](self#a-peers-shared-memory).
    ///
    /// ```
    /// # use ptx::{atomic::AtomicRef, qualifier::{scope, sem, space}};
    /// # fn kernel(arrived: AtomicRef<'_, u32, scope::Gpu, space::Global>, ctas: u32) {
    /// // True in the CTA that arrives last, which sees what all CTAs did before they arrived.
    /// let last = arrived.fetch_add(1, sem::AcqRel) == ctas - 1; // atom.acq_rel.gpu.global.add.u32
    /// # }
    /// ```
    #[inline(always)]
    pub fn fetch_add(self, b: T, sem: impl AtomSem) -> T
    where
        T: AtomicAdd<Space>,
    {
        // SAFETY: the invariant of `AtomicRef` is the contract of the operation.
        unsafe { T::fetch_add(sem, self.scope, self.addr, b, self.policy) }
    }

    /// Atomically adds `b` to the value, and returns nothing (`red.add`); integers wrap.
    ///
    /// PTX: `red{.sem}{.scope}{.space}.add{.type} [addr], b;`. Half precision has `.add.noftz`, and a vector has `.v2`, `.v4` or
    /// `.v8`; a pair in `.shared::cluster` is added [by element](self#a-peers-shared-memory).
    #[inline(always)]
    pub fn add(self, b: T, sem: impl RedSem)
    where
        T: AtomicAdd<Space>,
    {
        // SAFETY: the invariant of `AtomicRef` is the contract of the operation.
        unsafe { T::add(sem, self.scope, self.addr, b, self.policy) }
    }

    /// Atomically replaces the value by the minimum of the value and `b`, and returns the old value (CUDA's `atomicMin`).
    ///
    /// PTX: `atom{.sem}{.scope}{.space}.min{.type} d, [addr], b;`. In `.shared::cluster`, 64 bits take
    /// [a loop of `.cas`](self#a-peers-shared-memory).
    #[inline(always)]
    pub fn fetch_min(self, b: T, sem: impl AtomSem) -> T
    where
        T: AtomicMinMax<Space>,
    {
        // SAFETY: the invariant of `AtomicRef` is the contract of the operation.
        unsafe { T::fetch_min(sem, self.scope, self.addr, b, self.policy) }
    }

    /// Atomically replaces the value by the minimum of the value and `b`, and returns nothing (`red.min`).
    ///
    /// PTX: `red{.sem}{.scope}{.space}.min{.type} [addr], b;`. In `.shared::cluster`, 64 bits take
    /// [a loop of `.cas`](self#a-peers-shared-memory).
    #[inline(always)]
    pub fn min(self, b: T, sem: impl RedSem)
    where
        T: AtomicMinMax<Space>,
    {
        // SAFETY: the invariant of `AtomicRef` is the contract of the operation.
        unsafe { T::min(sem, self.scope, self.addr, b, self.policy) }
    }

    /// Atomically replaces the value by the maximum of the value and `b`, and returns the old value (CUDA's `atomicMax`).
    ///
    /// PTX: `atom{.sem}{.scope}{.space}.max{.type} d, [addr], b;`. In `.shared::cluster`, 64 bits take
    /// [a loop of `.cas`](self#a-peers-shared-memory).
    #[inline(always)]
    pub fn fetch_max(self, b: T, sem: impl AtomSem) -> T
    where
        T: AtomicMinMax<Space>,
    {
        // SAFETY: the invariant of `AtomicRef` is the contract of the operation.
        unsafe { T::fetch_max(sem, self.scope, self.addr, b, self.policy) }
    }

    /// Atomically replaces the value by the maximum of the value and `b`, and returns nothing (`red.max`).
    ///
    /// PTX: `red{.sem}{.scope}{.space}.max{.type} [addr], b;`. In `.shared::cluster`, 64 bits take
    /// [a loop of `.cas`](self#a-peers-shared-memory).
    #[inline(always)]
    pub fn max(self, b: T, sem: impl RedSem)
    where
        T: AtomicMinMax<Space>,
    {
        // SAFETY: the invariant of `AtomicRef` is the contract of the operation.
        unsafe { T::max(sem, self.scope, self.addr, b, self.policy) }
    }

    /// Atomically adds 1 to the value, or wraps it to 0 if the old value is `b` or more, and returns the old value (CUDA's
    /// `atomicInc`). The value cycles from 0 up to `b`.
    ///
    /// PTX: `atom{.sem}{.scope}{.space}.inc.u32 d, [addr], b;`
    #[inline(always)]
    pub fn fetch_inc(self, b: T, sem: impl AtomSem) -> T
    where
        T: AtomicIncDec<Space>,
    {
        // SAFETY: the invariant of `AtomicRef` is the contract of the operation.
        unsafe { T::fetch_inc(sem, self.scope, self.addr, b, self.policy) }
    }

    /// Atomically adds 1 to the value, or wraps it to 0 if the value is `b` or more (`red.inc`).
    ///
    /// PTX: `red{.sem}{.scope}{.space}.inc.u32 [addr], b;`
    #[inline(always)]
    pub fn inc(self, b: T, sem: impl RedSem)
    where
        T: AtomicIncDec<Space>,
    {
        // SAFETY: the invariant of `AtomicRef` is the contract of the operation.
        unsafe { T::inc(sem, self.scope, self.addr, b, self.policy) }
    }

    /// Atomically subtracts 1 from the value, or wraps it to `b` if the old value is 0 or more than `b`, and returns the old
    /// value (CUDA's `atomicDec`). The value cycles from `b` down to 0.
    ///
    /// PTX: `atom{.sem}{.scope}{.space}.dec.u32 d, [addr], b;`
    #[inline(always)]
    pub fn fetch_dec(self, b: T, sem: impl AtomSem) -> T
    where
        T: AtomicIncDec<Space>,
    {
        // SAFETY: the invariant of `AtomicRef` is the contract of the operation.
        unsafe { T::fetch_dec(sem, self.scope, self.addr, b, self.policy) }
    }

    /// Atomically subtracts 1 from the value, or wraps it to `b` if the value is 0 or more than `b` (`red.dec`).
    ///
    /// PTX: `red{.sem}{.scope}{.space}.dec.u32 [addr], b;`
    #[inline(always)]
    pub fn dec(self, b: T, sem: impl RedSem)
    where
        T: AtomicIncDec<Space>,
    {
        // SAFETY: the invariant of `AtomicRef` is the contract of the operation.
        unsafe { T::dec(sem, self.scope, self.addr, b, self.policy) }
    }

    /// Replaces the value by its bitwise AND with `b`, and returns the old value (CUDA's `atomicAnd`).
    ///
    /// PTX: `atom{.sem}{.scope}{.space}.and{.type} d, [addr], b;`. In `.shared::cluster`, 64 bits take
    /// [a loop of `.cas`](self#a-peers-shared-memory).
    #[inline(always)]
    pub fn fetch_and(self, b: T, sem: impl AtomSem) -> T
    where
        T: AtomicBitwise<Space>,
    {
        // SAFETY: the invariant of `AtomicRef` is the contract of the operation.
        unsafe { T::fetch_and(sem, self.scope, self.addr, b, self.policy) }
    }

    /// Atomically replaces the value by its bitwise AND with `b`, and returns nothing (`red.and`).
    ///
    /// PTX: `red{.sem}{.scope}{.space}.and{.type} [addr], b;`. In `.shared::cluster`, 64 bits take
    /// [a loop of `.cas`](self#a-peers-shared-memory).
    #[inline(always)]
    pub fn and(self, b: T, sem: impl RedSem)
    where
        T: AtomicBitwise<Space>,
    {
        // SAFETY: the invariant of `AtomicRef` is the contract of the operation.
        unsafe { T::and(sem, self.scope, self.addr, b, self.policy) }
    }

    /// Replaces the value by its bitwise OR with `b`, and returns the old value (CUDA's `atomicOr`).
    ///
    /// PTX: `atom{.sem}{.scope}{.space}.or{.type} d, [addr], b;`. In `.shared::cluster`, 64 bits take
    /// [a loop of `.cas`](self#a-peers-shared-memory).
    #[inline(always)]
    pub fn fetch_or(self, b: T, sem: impl AtomSem) -> T
    where
        T: AtomicBitwise<Space>,
    {
        // SAFETY: the invariant of `AtomicRef` is the contract of the operation.
        unsafe { T::fetch_or(sem, self.scope, self.addr, b, self.policy) }
    }

    /// Atomically replaces the value by its bitwise OR with `b`, and returns nothing (`red.or`).
    ///
    /// PTX: `red{.sem}{.scope}{.space}.or{.type} [addr], b;`. In `.shared::cluster`, 64 bits take
    /// [a loop of `.cas`](self#a-peers-shared-memory).
    #[inline(always)]
    pub fn or(self, b: T, sem: impl RedSem)
    where
        T: AtomicBitwise<Space>,
    {
        // SAFETY: the invariant of `AtomicRef` is the contract of the operation.
        unsafe { T::or(sem, self.scope, self.addr, b, self.policy) }
    }

    /// Replaces the value by its bitwise XOR with `b`, and returns the old value (CUDA's `atomicXor`).
    ///
    /// PTX: `atom{.sem}{.scope}{.space}.xor{.type} d, [addr], b;`. In `.shared::cluster`, 64 bits take
    /// [a loop of `.cas`](self#a-peers-shared-memory).
    #[inline(always)]
    pub fn fetch_xor(self, b: T, sem: impl AtomSem) -> T
    where
        T: AtomicBitwise<Space>,
    {
        // SAFETY: the invariant of `AtomicRef` is the contract of the operation.
        unsafe { T::fetch_xor(sem, self.scope, self.addr, b, self.policy) }
    }

    /// Atomically replaces the value by its bitwise XOR with `b`, and returns nothing (`red.xor`).
    ///
    /// PTX: `red{.sem}{.scope}{.space}.xor{.type} [addr], b;`. In `.shared::cluster`, 64 bits take
    /// [a loop of `.cas`](self#a-peers-shared-memory).
    #[inline(always)]
    pub fn xor(self, b: T, sem: impl RedSem)
    where
        T: AtomicBitwise<Space>,
    {
        // SAFETY: the invariant of `AtomicRef` is the contract of the operation.
        unsafe { T::xor(sem, self.scope, self.addr, b, self.policy) }
    }

    /// Replaces the value by `b` and returns the old value (CUDA's `atomicExch`).
    ///
    /// PTX: `atom{.sem}{.scope}{.space}.exch{.type} d, [addr], b;`
    #[inline(always)]
    pub fn swap(self, b: T, sem: impl AtomSem) -> T
    where
        T: AtomicSwap<Space>,
    {
        // SAFETY: the invariant of `AtomicRef` is the contract of the operation.
        unsafe { T::swap(sem, self.scope, self.addr, b, self.policy) }
    }

    /// Replaces the value by `new` if it equals `current` (CUDA's `atomicCAS`). Returns the old value, as `Ok` if it was replaced
    /// and as `Err` if not.
    ///
    /// The comparison is of bits: a NaN equals itself, and -0 differs from +0. One ordering holds for success and failure.
    ///
    /// PTX: `atom{.sem}{.scope}{.space}.cas{.type} d, [addr], current, new;`
    ///
    /// ```
    /// # use ptx::{atomic::AtomicRef, qualifier::{B128, scope, sem, space}};
    /// # fn kernel(pair: AtomicRef<'_, B128, scope::Gpu, space::Global>) {
    /// // Changes both halves of a pair in one step.
    /// let mut seen = B128::default();
    /// while let Err(now) =
    ///     pair.compare_exchange(seen, B128 { lo: seen.lo + 1, hi: seen.hi ^ seen.lo }, sem::Relaxed)
    /// {
    ///     seen = now;
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn compare_exchange(self, current: T, new: T, sem: impl AtomSem) -> Result<T, T>
    where
        T: AtomicCompareExchange<Space>,
        P: Unhinted,
    {
        // SAFETY: the invariant of `AtomicRef` is the contract of the operation.
        unsafe { T::compare_exchange(sem, self.scope, self.addr, current, new) }
    }
}

impl<'s, T: Element, const N: usize, State> Shared<'s, T, N, State> {
    /// Waits until every thread of the CTA has finished its earlier accesses to this array (`__syncthreads()`), and puts the
    /// array into the state [`Atomic`], in which only atomic operations access its elements.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `barrier.cta.sync.aligned 0;`
    ///
    /// ```
    /// # use ptx::{launch::Cta, qualifier::sem, shared::SharedArray};
    /// # fn kernel(cta: &mut Cta, bins: SharedArray<u32, 256>, byte: u8, out: &mut u32) {
    /// cta.async_scope(bins, |cta, bins| {
    ///     let bins = bins.write(cta, |_| 0).into_atomic(cta);
    ///     if let Some(bin) = bins.atomic(byte.into()) {
    ///         bin.add(1, sem::Relaxed); // red.relaxed.cta.shared::cta.add.u32
    ///     }
    ///     let bins = bins.publish(cta);
    ///     *out = bins.get(0).unwrap_or(0);
    ///     bins.to_async(cta).into_free()
    /// });
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn into_atomic(self, cta: &Cta) -> Shared<'s, T, N, Atomic>
    where
        T: AtomicValue,
        State: IntoAtomic,
    {
        cta.sync();
        self.into_state()
    }

    /// Returns a reference to element `i` for atomic operations, or `None` if `i` is past the end.
    ///
    /// The scope is the CTA: in this state, no thread of another CTA can access the memory.
    #[inline(always)]
    pub fn atomic(&self, i: usize) -> Option<AtomicRef<'_, T, scope::Cta, space::SharedCta>>
    where
        T: AtomicValue,
        State: AtomicAccess,
    {
        if i >= N {
            return None;
        }
        // SAFETY: clause 1 of `new`: `i` is below `N`, and arrays are aligned to 128. Clause 2: threads and copies
        // have no other access in this state, and this borrow ends before the barrier at which all handles leave the state.
        Some(unsafe { AtomicRef::new(self.addr() + (i * size_of::<T>()) as u32) })
    }
}

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
    /// Makes a slice of atomic elements from a pointer to global memory and a length.
    ///
    /// # Safety
    ///
    /// 1. `base` is the generic or global address, aligned to the size of `T`, of `len` elements of global memory.
    /// 2. Until the grid ends, every access to the elements is an atomic operation on whole elements (for a vector `T`: on the
    ///    elements of the vector), in a scope that includes every thread that accesses them. `S` is such a scope: with
    ///    `scope::Cta`, only threads of one CTA access the elements; if the host accesses them too, `S` is `scope::Sys`.
    #[inline(always)]
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

handles! {
    Copy: AtomicRef<u32, scope::Gpu, space::Global>, AtomicRef<u32, scope::Cta, space::SharedCta>,
    GlobalAtomics<u32, scope::Gpu>,
}
