//! Atomic operations on a value of shared or global memory: `atom` (9.7.13.5), `red` (9.7.13.6), and the atomic `ld` and
//! `st` (9.7.9.8, 9.7.9.11).
//!
//! An [`AtomicRef`] is one value that many threads change at once. Its type says which: the value's type, the scope of
//! every access, and the state space. It has only the operations that PTX has for that type in that space.
//!
//! Shared memory is atomic while its handle is in the state [`Atomic`]; global memory is from [`GlobalAtomics`].
//!
//! ```text
//!   Written, Published, Loaded ── into_atomic ──► Atomic ── publish ──► Published (readable)
//!                                                   │
//!                                                   └── to_async ──► Fenced ── into_free ──► Free
//! ```
//!
//! An operation that returns the value before (`fetch_…`, `swap`, `compare_exchange`) is an `atom` and takes any ordering
//! but `.sc`; one without (`add`, `min`, …) is a `red`, which has nothing to wait for, and takes `.relaxed` or `.release`.
//! Names that [`core::sync::atomic`] has too mean the same.
//!
//! # The scope of a view
//!
//! 9.7.13.5: "Two atomic operations (`atom` or `red`) are performed atomically with respect to each other only if each
//! operation specifies a scope that includes the other." So the scope is no argument: it is fixed where memory becomes
//! atomic, as `.cta` for shared memory and by the `unsafe` [`GlobalAtomics::from_raw`] for global memory, and every
//! [`AtomicRef`] of that memory has it.
//!
//! # A peer's shared memory
//!
//! In `.shared::cluster`, where a value may be that of another CTA, the GPU has no instruction for some operations, and what
//! ptxas makes of theirs is not atomic there: see [`raw::atom_and`]. They are put together from others:
//!
//! - `.and`, `.or`, `.xor`, `.min` and `.max` of 64 bits from a comparison with what was there before, until nobody came
//!   between: `ld.relaxed.cluster.shared::cluster.b64 seen, [addr];`, then in a loop
//!   `atom{.sem}{.scope}.shared::cluster.cas.b64 now, [addr], seen, new;` until `now` is `seen`. The ordering is that of the
//!   exchange that succeeds, as it reads the value before and writes the new one.
//! - `.add` of `[f16; 2]` and `[bf16; 2]` from those of both elements, `atom{.sem}{.scope}.shared::cluster.add.noftz.f16` twice,
//!   as each is atomic for itself in the packed form too.
//!
//! # Floats
//!
//! `add` "rounds to nearest even". 9.7.13.5 further: "Current implementation of `atom.add.f32` on global memory flushes
//! subnormal inputs and results to sign-preserving zero; whereas `atom.add.f32` on shared memory supports subnormal inputs
//! and results"; 9.7.13.6 says the same of `red`. `f64` is not flushed, nor are `f16` and `bf16` (`.noftz`). Sums of floats
//! depend on the order of the additions, which is another one in every run.
//!
//! # Cache policies
//!
//! A reference to a value of global memory takes an L2 cache policy by [`AtomicRef::cache_hint`]; its operations then have
//! `.L2::cache_hint`, all but `compare_exchange`, for which PTX has none.
//!
//! # Asynchronous operations
//!
//! On sm_100 and higher, [`AtomicRef::store_async`] and [`AtomicRef::add_async`] start a release in global memory that the thread
//! does not wait for: `st.async` (9.7.9.12) and `red.async` (9.7.13.7), in scope `.gpu` or `.sys`. Their forms with `.mmio` are in
//! [`raw`] alone, since memory-mapped I/O is no memory that a view could promise anything of.
//!
//! # Half precision
//!
//! With the feature `half`, `half::f16` and `half::bf16` add and compare-exchange, `[f16; 2]` and `[bf16; 2]` add as the
//! packed types `.f16x2` and `.bf16x2`, and vectors of both add, take the minimum and the maximum in global memory.

use core::marker::PhantomData;

use crate::cache_policy::{CachePolicy, L2Policy};
use crate::global::ALIGN;
use crate::group::Cta;
use crate::qualifier::{AddressSpace, B128, Sealed, TypeTag, scope, sem, space, ty};
use crate::raw::{
    self, AtomScope, AtomSem, AtomSpace, LdSem, LdStScope, LdStSpace, RedAsyncReleaseScope, RedSem,
    StAsyncScope, StSem,
};
use crate::shared::{
    AsyncDestination, AsyncSource, Element, Fenced, Free, FreeGeneric, Loaded, Overwritable, Published,
    Readable, Shared, ThreadStores, Unfenced, Written, bits,
};

/// A state space of which a view can be.
#[diagnostic::on_unimplemented(
    message = "there are no atomic operations in `{Self}`",
    label = "not a space of `atom` and `red`",
    note = "a view is of `space::Global`, `space::SharedCta` or `space::SharedCluster` (PTX ISA 9.7.13.5)"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait AtomicSpace: AtomSpace + Default {
    /// Whether a value may be in another CTA's shared memory.
    #[doc(hidden)]
    const OF_PEERS: bool = false;
    /// In a space of peers, what 64 bits are about now.
    ///
    /// # Safety
    ///
    /// As [`AtomicLoadStore::load`].
    #[doc(hidden)]
    #[inline(always)]
    unsafe fn peek(_addr: Self::Address) -> u64 {
        0
    }
    /// In a space of peers, the address so many bytes further.
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
        // SAFETY: the caller's contract.
        unsafe { raw::ld(sem::Relaxed, scope::Cluster, space::SharedCluster, ty::B64, addr) }
    }
    #[inline(always)]
    fn after(addr: u32, bytes: u32) -> u32 {
        addr + bytes
    }
}

/// The scope of all accesses of a view.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no scope of atomic operations",
    label = "not a `.scope`",
    note = "it is `scope::Cta`, `scope::Cluster`, `scope::Gpu` or `scope::Sys`: the threads that access the value"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait AtomicViewScope: AtomScope + LdStScope + Default {}
impl AtomicViewScope for scope::Cta {}
impl AtomicViewScope for scope::Cluster {}
impl AtomicViewScope for scope::Gpu {}
impl AtomicViewScope for scope::Sys {}

/// An [`AtomicRef`] without a cache policy.
#[diagnostic::on_unimplemented(
    message = "`atom.cas` takes no cache policy",
    label = "not under a cache policy",
    note = "compare and exchange through the reference that `.cache_hint(policy)` was called on (PTX ISA 9.7.13.5)"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Unhinted: L2Policy {}
impl Unhinted for () {}

/// A type of which a value in memory can be atomic.
///
/// # Safety
///
/// Implemented here only: for plain data of 2, 4, 8 or 16 bytes that `atom` takes, or vectors of such.
#[diagnostic::on_unimplemented(
    message = "there are no atomic operations on `{Self}`",
    label = "not a type of `atom`",
    note = "`atom` takes `u32`, `i32`, `u64`, `i64`, `f32` and `f64`; of `u16`, `i16` and `B128` it has a few operations; of 8 bits none"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait AtomicValue: Copy + Sealed + 'static {}

macro_rules! values {
    ($( $T:ty ),* $(,)?) => { $(
        // SAFETY: plain data that a row of `atom` takes.
        unsafe impl AtomicValue for $T {}
    )* };
}
values! { u16, i16, u32, i32, f32, u64, i64, f64, B128, [f32; 2], [f32; 4] }

/// A vector of which `atom` and `red` change each element in one instruction, each "separately" atomic (9.7.13.5).
///
/// ```
/// # use ptx::{atomic::{AtomicAdd, AtomicVector, GlobalAtomics}, qualifier::{scope, sem, space}};
/// fn add_row<const N: usize>(sums: GlobalAtomics<f32, scope::Gpu>, row: [f32; N])
/// where
///     [f32; N]: AtomicVector + AtomicAdd<space::Global>,
/// {
///     if let Some(sum) = sums.vectors::<N>().and_then(|rows| rows.get(0)) {
///         sum.add(row, sem::Relaxed);
///     }
/// }
/// # fn kernel(sums: GlobalAtomics<f32, scope::Gpu>) {
/// # add_row(sums, [1.0, 2.0]);
/// # add_row(sums, [1.0, 2.0, 3.0, 4.0]);
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no vector of `atom`",
    label = "not a vector of `atom`",
    note = "the vectors are `[f32; 2]` and `[f32; 4]`, and with the feature `half` `[f16; 2]` to `[f16; 8]`, of pairs `[f16; 2]` two or four, and `bf16` alike"
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

    // `[f16; 2]` and `[bf16; 2]` are elements of shared memory besides.
    macro_rules! seal {
        ($( $T:ty ),*) => { $( impl Sealed for $T {} )* };
    }
    seal! { [f16; 4], [f16; 8], [bf16; 4], [bf16; 8] }
    seal! { [[f16; 2]; 2], [[f16; 2]; 4], [[bf16; 2]; 2], [[bf16; 2]; 4] }
}

/// What stands above an operation's functions in its trait.
macro_rules! operation_traits {
    ($( $(#[$attribute:meta])* $Trait:ident { $( $fetch:ident, $plain:ident; )* } )*) => { $(
        $(#[$attribute])*
        pub trait $Trait<Space: AtomicSpace>: AtomicValue {
            $(
                /// The `atom`.
                ///
                /// # Safety
                ///
                /// `addr` is the address of such a value, aligned to its size, in memory that lives; it is accessed by
                /// atomic operations alone, in scopes that include each other. With a policy it is in global memory.
                #[doc(hidden)]
                unsafe fn $fetch<S: AtomScope, P: L2Policy<Space>>(
                    sem: impl AtomSem, scope: S, addr: Space::Address, b: Self, policy: P,
                ) -> Self;
                /// The `red`.
                ///
                /// # Safety
                ///
                /// As above.
                #[doc(hidden)]
                unsafe fn $plain<S: AtomScope, P: L2Policy<Space>>(
                    sem: impl RedSem, scope: S, addr: Space::Address, b: Self, policy: P,
                );
            )*
        }
    )* };
}

operation_traits! {
    /// Types with `.add` in a space.
    ///
    /// ```
    /// # use ptx::{atomic::{AtomicAdd, AtomicRef}, qualifier::{scope, sem, space}};
    /// /// Of any type that adds in shared memory.
    /// fn add<T: AtomicAdd<space::SharedCta>>(sum: AtomicRef<'_, T, scope::Cta, space::SharedCta>, mine: T) {
    ///     sum.add(mine, sem::Relaxed);
    /// }
    /// # fn kernel(count: AtomicRef<'_, u32, scope::Cta, space::SharedCta>, sum: AtomicRef<'_, f32, scope::Cta, space::SharedCta>) {
    /// add(count, 1);
    /// add(sum, 0.5);
    /// # }
    /// ```
    #[diagnostic::on_unimplemented(
        message = "`{Self}` has no atomic addition in `{Space}`",
        label = "`atom.add` does not take this type here",
        note = "`.add` takes `u32`, `i32`, `u64`, `i64`, `f32` and `f64` in every space, `[f32; 2]` and `[f32; 4]` in global memory, and `f16` and `bf16` with the feature `half`"
    )]
    AtomicAdd { fetch_add, add; }

    /// Types with `.min` and `.max` in a space.
    ///
    /// ```
    /// # use ptx::{atomic::{AtomicMinMax, AtomicRef}, qualifier::{scope, sem, space}};
    /// type Global<'a, T> = AtomicRef<'a, T, scope::Gpu, space::Global>;
    /// fn widen<T: AtomicMinMax<space::Global>>(low: Global<'_, T>, high: Global<'_, T>, x: T) {
    ///     low.min(x, sem::Relaxed);
    ///     high.max(x, sem::Relaxed);
    /// }
    /// # fn kernel(low: Global<'_, i32>, high: Global<'_, i32>) {
    /// widen(low, high, -7);
    /// # }
    /// ```
    #[diagnostic::on_unimplemented(
        message = "`{Self}` has no atomic minimum and maximum in `{Space}`",
        label = "`atom.min` and `atom.max` do not take this type here",
        note = "`.min` and `.max` take `u32`, `i32`, `u64` and `i64`; in global memory also vectors of `f16` and `bf16`, with the feature `half`"
    )]
    AtomicMinMax { fetch_min, min; fetch_max, max; }

    /// Types with `.inc` and `.dec` in a space.
    ///
    /// ```
    /// # use ptx::{atomic::{AtomicIncDec, AtomicRef}, qualifier::{scope, sem, space}};
    /// type Global<'a, T> = AtomicRef<'a, T, scope::Gpu, space::Global>;
    /// /// The next slot of a ring whose last slot is `last`.
    /// fn next<T: AtomicIncDec<space::Global>>(ring: Global<'_, T>, last: T) -> T {
    ///     ring.fetch_inc(last, sem::Relaxed)
    /// }
    /// # fn kernel(ring: Global<'_, u32>) {
    /// let slot = next(ring, 15); // 0, 1, …, 15, 0, …
    /// # }
    /// ```
    #[diagnostic::on_unimplemented(
        message = "`{Self}` has no atomic increment and decrement in `{Space}`",
        label = "`atom.inc` and `atom.dec` do not take this type",
        note = "`.inc` and `.dec` take `u32` alone; to count without a bound there is `add`"
    )]
    AtomicIncDec { fetch_inc, inc; fetch_dec, dec; }

    /// Types with `.and`, `.or` and `.xor` in a space.
    ///
    /// ```
    /// # use ptx::{atomic::{AtomicBitwise, AtomicRef}, qualifier::{scope, sem, space}};
    /// type Global<'a, T> = AtomicRef<'a, T, scope::Gpu, space::Global>;
    /// /// Sets bits, and returns the value before.
    /// fn set<T: AtomicBitwise<space::Global>>(value: Global<'_, T>, bits: T) -> T {
    ///     value.fetch_or(bits, sem::Relaxed)
    /// }
    /// # fn kernel(value: Global<'_, u64>) {
    /// let first = set(value, 1 << 40) & (1 << 40) == 0;
    /// # }
    /// ```
    #[diagnostic::on_unimplemented(
        message = "`{Self}` has no atomic bitwise operations in `{Space}`",
        label = "`atom.and`, `atom.or` and `atom.xor` do not take this type",
        note = "`.and`, `.or` and `.xor` take `u32`, `i32`, `u64` and `i64`"
    )]
    AtomicBitwise { fetch_and, and; fetch_or, or; fetch_xor, xor; }
}

/// Types with `.exch` in a space.
///
/// ```
/// # use ptx::{atomic::{AtomicRef, AtomicSwap}, qualifier::{scope, sem, space}};
/// /// Takes what is there, and leaves a zero.
/// fn take<T: AtomicSwap<space::Global> + Default>(from: AtomicRef<'_, T, scope::Gpu, space::Global>) -> T {
///     from.swap(T::default(), sem::Relaxed)
/// }
/// # fn kernel(sum: AtomicRef<'_, f32, scope::Gpu, space::Global>) {
/// let sum: f32 = take(sum);
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no atomic exchange in `{Space}`",
    label = "`atom.exch` does not take this type here",
    note = "`.exch` takes values of 32, 64 and 128 bits: `u32`, `i32`, `f32`, `u64`, `i64`, `f64` and `B128`; 16 bits have `compare_exchange`"
)]
pub trait AtomicSwap<Space: AtomicSpace>: AtomicValue {
    /// The `atom`.
    ///
    /// # Safety
    ///
    /// As [`AtomicAdd`]'s.
    #[doc(hidden)]
    unsafe fn swap<S: AtomScope, P: L2Policy<Space>>(
        sem: impl AtomSem,
        scope: S,
        addr: Space::Address,
        b: Self,
        policy: P,
    ) -> Self;
}

/// Types with `.cas` in a space.
///
/// ```
/// # use ptx::{atomic::{AtomicCompareExchange, AtomicRef}, qualifier::{scope, sem, space}};
/// type Global<'a, T> = AtomicRef<'a, T, scope::Gpu, space::Global>;
/// /// An operation that PTX does not have.
/// fn update<T: AtomicCompareExchange<space::Global>>(value: Global<'_, T>, mut seen: T, f: fn(T) -> T) {
///     while let Err(now) = value.compare_exchange(seen, f(seen), sem::Relaxed) {
///         seen = now;
///     }
/// }
/// # fn kernel(product: Global<'_, f64>) {
/// update(product, 1.0, |x| x * 2.0);
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no atomic compare-and-exchange in `{Space}`",
    label = "`atom.cas` does not take this type here",
    note = "`.cas` takes values of 16 to 128 bits that are one: no vector and no pair"
)]
pub trait AtomicCompareExchange<Space: AtomicSpace>: AtomicValue {
    /// The `atom`.
    ///
    /// # Safety
    ///
    /// As [`AtomicAdd`]'s.
    #[doc(hidden)]
    unsafe fn compare_exchange<S: AtomScope>(
        sem: impl AtomSem,
        scope: S,
        addr: Space::Address,
        current: Self,
        new: Self,
    ) -> Result<Self, Self>;
}

/// Types with an atomic `ld` and `st` in a space.
///
/// ```
/// # use ptx::{atomic::{AtomicLoadStore, AtomicRef}, qualifier::{scope, sem, space}};
/// type InCta<'a, T> = AtomicRef<'a, T, scope::Cta, space::SharedCta>;
/// /// Not one atomic operation: two.
/// fn copy<T: AtomicLoadStore<space::SharedCta>>(from: InCta<'_, T>, to: InCta<'_, T>) {
///     to.store(from.load(sem::Acquire), sem::Release);
/// }
/// # fn kernel(from: InCta<'_, u32>, to: InCta<'_, u32>) {
/// copy(from, to);
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no atomic load and store in `{Space}`",
    label = "no atomic `ld` and `st` here",
    note = "they take single values in shared memory; elsewhere `fetch_or(0, …)` or `fetch_add(0, …)` reads, and `swap` writes"
)]
pub trait AtomicLoadStore<Space: AtomicSpace>: AtomicValue {
    /// The `ld`.
    ///
    /// # Safety
    ///
    /// As [`AtomicAdd`]'s.
    #[doc(hidden)]
    unsafe fn load<S: LdStScope>(sem: impl LdSem, scope: S, addr: Space::Address) -> Self;
    /// The `st`.
    ///
    /// # Safety
    ///
    /// As [`AtomicAdd`]'s.
    #[doc(hidden)]
    unsafe fn store<S: LdStScope>(sem: impl StSem, scope: S, addr: Space::Address, b: Self);
}

/// Types that `st.async.release` takes, on sm_100 and higher.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no asynchronous atomic store",
    label = "no `st.async.release` takes this type here",
    note = "with the feature `sm_100` or that of a later target it takes single values of 16 to 64 bits: `u16`, `i16`, `u32`, `i32`, `f32`, `u64`, `i64` and `f64`, and with the feature `half` `f16` and `bf16`; `swap` writes values of 128 bits"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait AtomicStoreAsync: AtomicValue {
    /// The `st.async`.
    ///
    /// # Safety
    ///
    /// As [`AtomicAdd`]'s, until the CTA has ended.
    #[doc(hidden)]
    unsafe fn store_async<S: StAsyncScope>(scope: S, addr: *mut u8, b: Self);
}

/// Types that `red.async.release.add` takes, on sm_100 and higher.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no asynchronous atomic addition",
    label = "no `red.async.release.add` takes this type here",
    note = "with the feature `sm_100` or that of a later target it takes `u32`, `i32`, `u64` and `i64`; otherwise there is `add`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait AtomicAddAsync: AtomicValue {
    /// The `red.async`.
    ///
    /// # Safety
    ///
    /// As [`AtomicAdd`]'s, until the CTA has ended.
    #[doc(hidden)]
    unsafe fn add_async<S: RedAsyncReleaseScope>(scope: S, addr: *mut u8, b: Self);
}

/// Implements an operation by its raw rows, for each type by the tag that PTX has for it there: in every space, or `in Global`.
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
                // SAFETY: the caller's contract is the instruction's; both types are plain data of one size.
                unsafe { bits(raw::$atom(sem, scope, $space, ty::$Tag, addr, bits(b), policy.hint())) }
            }
            #[inline(always)]
            unsafe fn $plain<S: AtomScope, P: L2Policy<$Space>>(
                sem: impl RedSem, scope: S, addr: <$Space as AddressSpace>::Address, b: Self, policy: P,
            ) {
                // SAFETY: as above.
                unsafe { raw::$red(sem, scope, $space, ty::$Tag, addr, bits(b), policy.hint()) }
            }
        )* }
    };
}

// `.add` has no `.s64`: the sum has the bits of that of `.u64`.
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

/// Makes the 64 bits at `addr` what `new` says, and returns those before: by comparisons, which peers have.
///
/// # Safety
///
/// As [`AtomicAdd`]'s.
#[inline(always)]
unsafe fn update_of_peer<Space: AtomicSpace>(
    sem: impl AtomSem,
    scope: impl AtomScope,
    addr: Space::Address,
    new: impl Fn(u64) -> u64,
) -> u64 {
    // SAFETY: the caller's contract is the instructions'.
    let mut seen = unsafe { Space::peek(addr) };
    loop {
        // SAFETY: as above.
        let now = unsafe { raw::atom_cas(sem, scope, Space::default(), ty::B64, addr, seen, new(seen)) };
        if now == seen {
            return seen;
        }
        seen = now;
    }
}

/// Implements an operation of 64 bits, for which peers have no instruction, by its raw rows and by what it does.
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
                    // SAFETY: the caller's contract.
                    return unsafe { update_of_peer::<Space>(sem, scope, addr, new) } as Self;
                }
                // SAFETY: the caller's contract is the instruction's; both types are plain data of one size.
                unsafe {
                    bits(raw::$atom(sem, scope, Space::default(), ty::$Tag, addr, bits(b), policy.hint()))
                }
            }
            #[inline(always)]
            unsafe fn $plain<S: AtomScope, P: L2Policy<Space>>(
                sem: impl RedSem, scope: S, addr: Space::Address, b: Self, policy: P,
            ) {
                if const { Space::OF_PEERS } {
                    // SAFETY: the caller's contract; a space of peers has no policy.
                    unsafe { <Self as $Trait<Space>>::$fetch(sem, scope, addr, b, ()) };
                    return;
                }
                // SAFETY: as above.
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

    /// The additions of a pair, of which peers have that of an element alone.
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
                        // SAFETY: the caller's contract; the elements of a pair are each atomic for itself.
                        return unsafe { [
                            <$T as AtomicAdd<Space>>::fetch_add(sem, scope, addr, b[0], ()),
                            <$T as AtomicAdd<Space>>::fetch_add(sem, scope, second, b[1], ()),
                        ] };
                    }
                    // SAFETY: the caller's contract is the instruction's; both types are plain data of one size.
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
                        // SAFETY: as above.
                        unsafe {
                            <$T as AtomicAdd<Space>>::add(sem, scope, addr, b[0], ());
                            <$T as AtomicAdd<Space>>::add(sem, scope, second, b[1], ());
                        }
                        return;
                    }
                    // SAFETY: as above.
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

/// Implements the operations on bits: of 32 and 64 an exchange too, which 16 have not.
macro_rules! bit_operations {
    (exchange $( $T:ty as $Tag:ident ),*) => { $(
        #[diagnostic::do_not_recommend]
        impl<Space: AtomicSpace> AtomicSwap<Space> for $T {
            #[inline(always)]
            unsafe fn swap<S: AtomScope, P: L2Policy<Space>>(
                sem: impl AtomSem, scope: S, addr: Space::Address, b: Self, policy: P,
            ) -> Self {
                // SAFETY: the caller's contract is the instruction's; both types are plain data of one size.
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
                // SAFETY: the caller's contract is the instruction's; both types are plain data of one size.
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
                // SAFETY: the caller's contract is the instruction's; both types are plain data of one size.
                unsafe { bits(raw::ld(sem, scope, Space::default(), ty::$Tag, addr)) }
            }
            #[inline(always)]
            unsafe fn store<S: LdStScope>(sem: impl StSem, scope: S, addr: u32, b: Self) {
                // SAFETY: as above.
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

// The 128-bit rows have no `.type` tag.
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
        // SAFETY: the caller's contract is the instruction's.
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
        // SAFETY: the caller's contract is the instruction's.
        let old = unsafe { raw::atom_cas_b128(sem, scope, Space::default(), addr, current, new) };
        if old == current { Ok(old) } else { Err(old) }
    }
}
#[diagnostic::do_not_recommend]
impl<Space: AtomicSpace + LdStSpace + AddressSpace<Address = u32>> AtomicLoadStore<Space> for B128 {
    #[inline(always)]
    unsafe fn load<S: LdStScope>(sem: impl LdSem, scope: S, addr: u32) -> Self {
        // SAFETY: the caller's contract is the instruction's.
        unsafe { raw::ld_b128(sem, scope, Space::default(), addr) }
    }
    #[inline(always)]
    unsafe fn store<S: LdStScope>(sem: impl StSem, scope: S, addr: u32, b: Self) {
        // SAFETY: the caller's contract is the instruction's.
        unsafe { raw::st_b128(sem, scope, Space::default(), addr, b) }
    }
}

/// Implements an asynchronous operation by its raw row, for each type by the tag that PTX has for it.
#[cfg(feature = "sm_100")]
macro_rules! async_operations {
    ($Trait:ident: $name:ident $Scope:ident $row:ident { $( $T:ty as $Tag:ident ),* }) => { $(
        #[diagnostic::do_not_recommend]
        impl $Trait for $T {
            #[inline(always)]
            unsafe fn $name<S: $Scope>(scope: S, addr: *mut u8, b: Self) {
                // SAFETY: the caller's contract is the instruction's; both types are plain data of one size.
                unsafe { raw::$row(scope, space::Global, ty::$Tag, addr, bits(b)) }
            }
        }
    )* };
}
#[cfg(feature = "sm_100")]
async_operations! {
    AtomicStoreAsync: store_async StAsyncScope st_async_release {
        u16 as B16, i16 as B16, u32 as B32, i32 as B32, f32 as B32, u64 as B64, i64 as B64, f64 as B64
    }
}
#[cfg(all(feature = "sm_100", feature = "half"))]
async_operations! {
    AtomicStoreAsync: store_async StAsyncScope st_async_release { half::f16 as B16, half::bf16 as B16 }
}
#[cfg(feature = "sm_100")]
async_operations! {
    AtomicAddAsync: add_async RedAsyncReleaseScope red_async_release_add {
        u32 as U32, i32 as S32, u64 as U64, i64 as S64
    }
}

/// One value in memory that is accessed by atomic operations alone: of type `T`, by accesses of scope `S`, in `Space`.
///
/// It comes from [`Shared::atomic`] or [`GlobalAtomics::get`]; threads that hold one of the same value are independent.
/// In the PTX of its methods, `.sem` is the argument `sem`, `.scope` is `S`, `.space` is `Space`, `.type` is that of `T`: of
/// signed and unsigned integers alike `.b32` or `.b64` where the operation is bitwise, and for `.add` of an `i64` `.u64`.
/// `P` is its L2 cache policy: none, or that of [`cache_hint`](AtomicRef::cache_hint).
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
    /// Of the L2 cache, or `()`.
    policy: P,
    /// Bound to its thread: a shared address means something to its own CTA only.
    _value: PhantomData<(&'a (), *mut T)>,
}

static_assertions::assert_not_impl_any!(AtomicRef<'static, u32, scope::Gpu, space::Global>: Send, Sync);
static_assertions::assert_not_impl_any!(AtomicRef<'static, u32, scope::Cta, space::SharedCta>: Send, Sync);

impl<T, S: Copy, Space: AtomicSpace, P: Copy> Clone for AtomicRef<'_, T, S, Space, P> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, S: Copy, Space: AtomicSpace, P: Copy> Copy for AtomicRef<'_, T, S, Space, P> {}

impl<T: AtomicValue, S: AtomicViewScope, Space: AtomicSpace> AtomicRef<'_, T, S, Space> {
    /// # Safety
    ///
    /// - `addr` is the address in `Space` of a `T`, aligned to its size, in memory that lives through the lifetime.
    /// - through the lifetime it is accessed by atomic operations alone, of the size of `T` or, if `T` is a vector, of its
    ///   elements, in scopes that include `S` and that `S` includes.
    #[inline(always)]
    pub(crate) unsafe fn new(addr: Space::Address) -> Self {
        AtomicRef { addr, scope: S::default(), policy: (), _value: PhantomData }
    }
}

impl<'a, T: AtomicValue, S: AtomicViewScope> AtomicRef<'a, T, S, space::Global> {
    /// The same value, each operation under an L2 cache policy. All operations take one but
    /// [`compare_exchange`](AtomicRef::compare_exchange).
    ///
    /// PTX of its methods: with `.L2::cache_hint` before `.vec` and `.type`, and `policy` as the last operand.
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

// `'static` is the lifetime of what stays until the grid ends: longer than the operations, which nothing waits for.
impl<T: AtomicValue, S: AtomicViewScope> AtomicRef<'static, T, S, space::Global> {
    /// Starts storing `value`, with release semantics: who acquires it sees what this thread did before. The value is there at
    /// the CTA's end at the latest, and nothing tells this thread when. What it does later, to this value too, is in no order
    /// with the store.
    ///
    /// PTX: `st.async.release{.scope}.global{.type} [addr], value;`, where `.type` is `.b16`, `.b32` or `.b64`, and `.scope` `.gpu` or
    /// `.sys`. It exists on sm_100 and higher, for integers and floats of 16 to 64 bits. It is meant for one thread: ptxas 13.5
    /// makes a loop over a warp's threads of it.
    ///
    /// ```
    /// # use ptx::{atomic::GlobalAtomics, launch::Cta, qualifier::scope};
    /// # #[cfg(feature = "sm_100a")]
    /// # fn kernel(cta: &Cta, flags: GlobalAtomics<u32, scope::Gpu>) {
    /// // … what is to be visible to who acquires the flag …
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
        // SAFETY: the invariant of `new`, which is the instruction's contract, through a lifetime that the CTA's end does not
        // outlive. 9.7.9.12: "The store operation is a strong memory operation with `.release` semantics at the scope".
        unsafe { T::store_async(self.scope, self.addr, value) }
    }

    /// Starts adding `b`, with release semantics; integers wrap. It is as late, and as little ordered with what this thread does
    /// later, as [`store_async`](Self::store_async).
    ///
    /// PTX: `red.async.release{.scope}.global.add{.type} [addr], b;`, where `.type` is `.u32`, `.s32`, `.u64` or `.s64`, and `.scope`
    /// `.gpu` or `.sys`. It exists on sm_100 and higher, for `u32`, `i32`, `u64` and `i64`.
    ///
    /// ```
    /// # use ptx::{atomic::GlobalAtomics, qualifier::scope};
    /// # #[cfg(feature = "sm_100a")]
    /// # fn kernel(done: GlobalAtomics<u32, scope::Sys>) {
    /// // … what is to be visible to who acquires the count …
    /// if let Some(done) = done.get(0) {
    ///     done.add_async(1); // red.async.release.sys.global.add.u32
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn add_async(self, b: T)
    where
        T: AtomicAddAsync,
        S: RedAsyncReleaseScope,
    {
        // SAFETY: as in `store_async`. 9.7.13.7: "The reduce operation is a strong memory operation with `.release` semantics".
        unsafe { T::add_async(self.scope, self.addr, b) }
    }
}

impl<T: AtomicValue, S: AtomicViewScope, Space: AtomicSpace, P: L2Policy<Space>>
    AtomicRef<'_, T, S, Space, P>
{
    /// The address of the value.
    ///
    /// ```
    /// # use ptx::{atomic::AtomicRef, qualifier::{scope, space}};
    /// # fn kernel(bin: AtomicRef<'_, u32, scope::Cta, space::SharedCta>) {
    /// let addr: u32 = bin.addr(); // in global memory a `*mut u8`
    /// # }
    /// ```
    #[inline(always)]
    pub fn addr(self) -> Space::Address {
        self.addr
    }

    /// Loads the value.
    ///
    /// PTX: `ld{.sem}{.scope}{.space}{.type} d, [addr];`
    ///
    /// ```
    /// # use ptx::{atomic::AtomicRef, qualifier::{scope, sem, space}};
    /// # fn kernel(flag: AtomicRef<'_, u32, scope::Cta, space::SharedCta>) {
    /// if flag.load(sem::Acquire) != 0 { // ld.acquire.cta.shared::cta.b32
    ///     // … what the thread did that released the flag is visible …
    /// }
    /// # }
    /// ```
    #[must_use = "a load changes nothing"]
    #[inline(always)]
    pub fn load(self, sem: impl LdSem) -> T
    where
        T: AtomicLoadStore<Space>,
    {
        // SAFETY: the invariant of `new`, which is the instruction's contract; here and in every method below. A policy comes
        // from `cache_hint`, of a value in global memory.
        unsafe { T::load(sem, self.scope, self.addr) }
    }

    /// Stores a value.
    ///
    /// PTX: `st{.sem}{.scope}{.space}{.type} [addr], value;`
    ///
    /// ```
    /// # use ptx::{atomic::AtomicRef, qualifier::{scope, sem, space}};
    /// # fn kernel(flag: AtomicRef<'_, u32, scope::Cta, space::SharedCta>) {
    /// // … what is to be visible to who acquires the flag …
    /// flag.store(1, sem::Release); // st.release.cta.shared::cta.b32
    /// # }
    /// ```
    #[inline(always)]
    pub fn store(self, value: T, sem: impl StSem)
    where
        T: AtomicLoadStore<Space>,
    {
        // SAFETY: as in `load`.
        unsafe { T::store(sem, self.scope, self.addr, value) }
    }

    /// Adds `b` (integers wrap) and returns the value before.
    ///
    /// PTX: `atom{.sem}{.scope}{.space}.add{.type} d, [addr], b;`, of half precision `.add.noftz`, of a vector with `.v2`,
    /// `.v4` or `.v8`, of a pair that may be a peer's [twice](self#a-peers-shared-memory).
    ///
    /// ```
    /// # use ptx::{atomic::AtomicRef, qualifier::{scope, sem, space}};
    /// # fn kernel(arrived: AtomicRef<'_, u32, scope::Gpu, space::Global>, ctas: u32) {
    /// let last = arrived.fetch_add(1, sem::AcqRel) == ctas - 1; // atom.acq_rel.gpu.global.add.u32
    /// # }
    /// ```
    #[inline(always)]
    pub fn fetch_add(self, b: T, sem: impl AtomSem) -> T
    where
        T: AtomicAdd<Space>,
    {
        // SAFETY: as in `load`.
        unsafe { T::fetch_add(sem, self.scope, self.addr, b, self.policy) }
    }

    /// Adds `b`; integers wrap.
    ///
    /// PTX: `red{.sem}{.scope}{.space}.add{.type} [addr], b;`, of half precision `.add.noftz`, of a vector with `.v2`, `.v4` or
    /// `.v8`, of a pair that may be a peer's [twice](self#a-peers-shared-memory).
    ///
    /// ```
    /// # use ptx::{atomic::AtomicRef, qualifier::{scope, sem, space}};
    /// # fn kernel(sum: AtomicRef<'_, f32, scope::Gpu, space::Global>) {
    /// sum.add(0.5, sem::Relaxed); // red.relaxed.gpu.global.add.f32
    /// # }
    /// ```
    #[inline(always)]
    pub fn add(self, b: T, sem: impl RedSem)
    where
        T: AtomicAdd<Space>,
    {
        // SAFETY: as in `load`.
        unsafe { T::add(sem, self.scope, self.addr, b, self.policy) }
    }

    /// Makes the value the minimum of itself and `b`, and returns the value before.
    ///
    /// PTX: `atom{.sem}{.scope}{.space}.min{.type} d, [addr], b;`, of 64 bits that may be a peer's
    /// [a loop of `.cas`](self#a-peers-shared-memory).
    ///
    /// ```
    /// # use ptx::{atomic::AtomicRef, qualifier::{scope, sem, space}};
    /// # fn kernel(least: AtomicRef<'_, i32, scope::Gpu, space::Global>, x: i32) {
    /// let improved = x < least.fetch_min(x, sem::Relaxed); // atom.relaxed.gpu.global.min.s32
    /// # }
    /// ```
    #[inline(always)]
    pub fn fetch_min(self, b: T, sem: impl AtomSem) -> T
    where
        T: AtomicMinMax<Space>,
    {
        // SAFETY: as in `load`.
        unsafe { T::fetch_min(sem, self.scope, self.addr, b, self.policy) }
    }

    /// Makes the value the minimum of itself and `b`.
    ///
    /// PTX: `red{.sem}{.scope}{.space}.min{.type} [addr], b;`, of 64 bits that may be a peer's
    /// [a loop of `.cas`](self#a-peers-shared-memory).
    ///
    /// ```
    /// # use ptx::{atomic::AtomicRef, qualifier::{scope, sem, space}};
    /// # fn kernel(least: AtomicRef<'_, i32, scope::Gpu, space::Global>, x: i32) {
    /// least.min(x, sem::Relaxed); // red.relaxed.gpu.global.min.s32
    /// # }
    /// ```
    #[inline(always)]
    pub fn min(self, b: T, sem: impl RedSem)
    where
        T: AtomicMinMax<Space>,
    {
        // SAFETY: as in `load`.
        unsafe { T::min(sem, self.scope, self.addr, b, self.policy) }
    }

    /// Makes the value the maximum of itself and `b`, and returns the value before.
    ///
    /// PTX: `atom{.sem}{.scope}{.space}.max{.type} d, [addr], b;`, of 64 bits that may be a peer's
    /// [a loop of `.cas`](self#a-peers-shared-memory).
    ///
    /// ```
    /// # use ptx::{atomic::AtomicRef, qualifier::{scope, sem, space}};
    /// # fn kernel(newest: AtomicRef<'_, u64, scope::Gpu, space::Global>, time: u64) {
    /// let newer = time > newest.fetch_max(time, sem::Relaxed); // atom.relaxed.gpu.global.max.u64
    /// # }
    /// ```
    #[inline(always)]
    pub fn fetch_max(self, b: T, sem: impl AtomSem) -> T
    where
        T: AtomicMinMax<Space>,
    {
        // SAFETY: as in `load`.
        unsafe { T::fetch_max(sem, self.scope, self.addr, b, self.policy) }
    }

    /// Makes the value the maximum of itself and `b`.
    ///
    /// PTX: `red{.sem}{.scope}{.space}.max{.type} [addr], b;`, of 64 bits that may be a peer's
    /// [a loop of `.cas`](self#a-peers-shared-memory).
    ///
    /// ```
    /// # use ptx::{atomic::AtomicRef, qualifier::{scope, sem, space}};
    /// # fn kernel(newest: AtomicRef<'_, u64, scope::Gpu, space::Global>, time: u64) {
    /// newest.max(time, sem::Relaxed); // red.relaxed.gpu.global.max.u64
    /// # }
    /// ```
    #[inline(always)]
    pub fn max(self, b: T, sem: impl RedSem)
    where
        T: AtomicMinMax<Space>,
    {
        // SAFETY: as in `load`.
        unsafe { T::max(sem, self.scope, self.addr, b, self.policy) }
    }

    /// Increments the value, or makes it 0 where it is `b` or more, and returns the value before: counts from 0 to `b` and
    /// around.
    ///
    /// PTX: `atom{.sem}{.scope}{.space}.inc.u32 d, [addr], b;`
    ///
    /// ```
    /// # use ptx::{atomic::AtomicRef, qualifier::{scope, sem, space}};
    /// # fn kernel(ring: AtomicRef<'_, u32, scope::Gpu, space::Global>) {
    /// let slot = ring.fetch_inc(7, sem::Relaxed); // 0, 1, …, 7, 0, …
    /// # }
    /// ```
    #[inline(always)]
    pub fn fetch_inc(self, b: T, sem: impl AtomSem) -> T
    where
        T: AtomicIncDec<Space>,
    {
        // SAFETY: as in `load`.
        unsafe { T::fetch_inc(sem, self.scope, self.addr, b, self.policy) }
    }

    /// Increments the value, or makes it 0 where it is `b` or more.
    ///
    /// PTX: `red{.sem}{.scope}{.space}.inc.u32 [addr], b;`
    ///
    /// ```
    /// # use ptx::{atomic::AtomicRef, qualifier::{scope, sem, space}};
    /// # fn kernel(ring: AtomicRef<'_, u32, scope::Gpu, space::Global>) {
    /// ring.inc(7, sem::Relaxed); // 7 becomes 0
    /// # }
    /// ```
    #[inline(always)]
    pub fn inc(self, b: T, sem: impl RedSem)
    where
        T: AtomicIncDec<Space>,
    {
        // SAFETY: as in `load`.
        unsafe { T::inc(sem, self.scope, self.addr, b, self.policy) }
    }

    /// Decrements the value, or makes it `b` where it is 0 or more than `b`, and returns the value before.
    ///
    /// PTX: `atom{.sem}{.scope}{.space}.dec.u32 d, [addr], b;`
    ///
    /// ```
    /// # use ptx::{atomic::AtomicRef, qualifier::{scope, sem, space}};
    /// # fn kernel(ring: AtomicRef<'_, u32, scope::Gpu, space::Global>) {
    /// let slot = ring.fetch_dec(7, sem::Relaxed); // 7, 6, …, 0, 7, …
    /// # }
    /// ```
    #[inline(always)]
    pub fn fetch_dec(self, b: T, sem: impl AtomSem) -> T
    where
        T: AtomicIncDec<Space>,
    {
        // SAFETY: as in `load`.
        unsafe { T::fetch_dec(sem, self.scope, self.addr, b, self.policy) }
    }

    /// Decrements the value, or makes it `b` where it is 0 or more than `b`.
    ///
    /// PTX: `red{.sem}{.scope}{.space}.dec.u32 [addr], b;`
    ///
    /// ```
    /// # use ptx::{atomic::AtomicRef, qualifier::{scope, sem, space}};
    /// # fn kernel(ring: AtomicRef<'_, u32, scope::Gpu, space::Global>) {
    /// ring.dec(7, sem::Relaxed); // 0 becomes 7
    /// # }
    /// ```
    #[inline(always)]
    pub fn dec(self, b: T, sem: impl RedSem)
    where
        T: AtomicIncDec<Space>,
    {
        // SAFETY: as in `load`.
        unsafe { T::dec(sem, self.scope, self.addr, b, self.policy) }
    }

    /// Makes the value its bitwise and with `b`, and returns the value before.
    ///
    /// PTX: `atom{.sem}{.scope}{.space}.and{.type} d, [addr], b;`, of 64 bits that may be a peer's
    /// [a loop of `.cas`](self#a-peers-shared-memory).
    ///
    /// ```
    /// # use ptx::{atomic::AtomicRef, qualifier::{scope, sem, space}};
    /// # fn kernel(free: AtomicRef<'_, u32, scope::Gpu, space::Global>) {
    /// // Takes bit 5, if it was there.
    /// let mine = free.fetch_and(!(1 << 5), sem::Acquire) & (1 << 5) != 0; // atom.acquire.gpu.global.and.b32
    /// # }
    /// ```
    #[inline(always)]
    pub fn fetch_and(self, b: T, sem: impl AtomSem) -> T
    where
        T: AtomicBitwise<Space>,
    {
        // SAFETY: as in `load`.
        unsafe { T::fetch_and(sem, self.scope, self.addr, b, self.policy) }
    }

    /// Makes the value its bitwise and with `b`.
    ///
    /// PTX: `red{.sem}{.scope}{.space}.and{.type} [addr], b;`, of 64 bits that may be a peer's
    /// [a loop of `.cas`](self#a-peers-shared-memory).
    ///
    /// ```
    /// # use ptx::{atomic::AtomicRef, qualifier::{scope, sem, space}};
    /// # fn kernel(flags: AtomicRef<'_, u32, scope::Gpu, space::Global>) {
    /// flags.and(!(1 << 5), sem::Relaxed); // clears bit 5
    /// # }
    /// ```
    #[inline(always)]
    pub fn and(self, b: T, sem: impl RedSem)
    where
        T: AtomicBitwise<Space>,
    {
        // SAFETY: as in `load`.
        unsafe { T::and(sem, self.scope, self.addr, b, self.policy) }
    }

    /// Makes the value its bitwise or with `b`, and returns the value before.
    ///
    /// PTX: `atom{.sem}{.scope}{.space}.or{.type} d, [addr], b;`, of 64 bits that may be a peer's
    /// [a loop of `.cas`](self#a-peers-shared-memory).
    ///
    /// ```
    /// # use ptx::{atomic::AtomicRef, qualifier::{scope, sem, space}};
    /// # fn kernel(seen: AtomicRef<'_, u32, scope::Gpu, space::Global>) {
    /// // True in the one thread that came first.
    /// let first = seen.fetch_or(1 << 5, sem::Relaxed) & (1 << 5) == 0; // atom.relaxed.gpu.global.or.b32
    /// # }
    /// ```
    #[inline(always)]
    pub fn fetch_or(self, b: T, sem: impl AtomSem) -> T
    where
        T: AtomicBitwise<Space>,
    {
        // SAFETY: as in `load`.
        unsafe { T::fetch_or(sem, self.scope, self.addr, b, self.policy) }
    }

    /// Makes the value its bitwise or with `b`.
    ///
    /// PTX: `red{.sem}{.scope}{.space}.or{.type} [addr], b;`, of 64 bits that may be a peer's
    /// [a loop of `.cas`](self#a-peers-shared-memory).
    ///
    /// ```
    /// # use ptx::{atomic::AtomicRef, qualifier::{scope, sem, space}};
    /// # fn kernel(flags: AtomicRef<'_, u32, scope::Gpu, space::Global>) {
    /// flags.or(1 << 5, sem::Relaxed); // sets bit 5
    /// # }
    /// ```
    #[inline(always)]
    pub fn or(self, b: T, sem: impl RedSem)
    where
        T: AtomicBitwise<Space>,
    {
        // SAFETY: as in `load`.
        unsafe { T::or(sem, self.scope, self.addr, b, self.policy) }
    }

    /// Makes the value its bitwise exclusive or with `b`, and returns the value before.
    ///
    /// PTX: `atom{.sem}{.scope}{.space}.xor{.type} d, [addr], b;`, of 64 bits that may be a peer's
    /// [a loop of `.cas`](self#a-peers-shared-memory).
    ///
    /// ```
    /// # use ptx::{atomic::AtomicRef, qualifier::{scope, sem, space}};
    /// # fn kernel(phase: AtomicRef<'_, u32, scope::Gpu, space::Global>) {
    /// let before = phase.fetch_xor(1, sem::Relaxed); // 0, 1, 0, 1, …
    /// # }
    /// ```
    #[inline(always)]
    pub fn fetch_xor(self, b: T, sem: impl AtomSem) -> T
    where
        T: AtomicBitwise<Space>,
    {
        // SAFETY: as in `load`.
        unsafe { T::fetch_xor(sem, self.scope, self.addr, b, self.policy) }
    }

    /// Makes the value its bitwise exclusive or with `b`.
    ///
    /// PTX: `red{.sem}{.scope}{.space}.xor{.type} [addr], b;`, of 64 bits that may be a peer's
    /// [a loop of `.cas`](self#a-peers-shared-memory).
    ///
    /// ```
    /// # use ptx::{atomic::AtomicRef, qualifier::{scope, sem, space}};
    /// # fn kernel(checksum: AtomicRef<'_, u64, scope::Gpu, space::Global>, hash: u64) {
    /// checksum.xor(hash, sem::Relaxed); // red.relaxed.gpu.global.xor.b64
    /// # }
    /// ```
    #[inline(always)]
    pub fn xor(self, b: T, sem: impl RedSem)
    where
        T: AtomicBitwise<Space>,
    {
        // SAFETY: as in `load`.
        unsafe { T::xor(sem, self.scope, self.addr, b, self.policy) }
    }

    /// Makes the value `b`, and returns the value before.
    ///
    /// PTX: `atom{.sem}{.scope}{.space}.exch{.type} d, [addr], b;`
    ///
    /// ```
    /// # use ptx::{atomic::AtomicRef, qualifier::{scope, sem, space}};
    /// # fn kernel(head: AtomicRef<'_, u32, scope::Gpu, space::Global>) {
    /// // Takes a list, by the index of its first node, and leaves an empty one.
    /// let first = head.swap(u32::MAX, sem::Acquire); // atom.acquire.gpu.global.exch.b32
    /// # }
    /// ```
    #[inline(always)]
    pub fn swap(self, b: T, sem: impl AtomSem) -> T
    where
        T: AtomicSwap<Space>,
    {
        // SAFETY: as in `load`.
        unsafe { T::swap(sem, self.scope, self.addr, b, self.policy) }
    }

    /// Makes the value `new` if it is `current`, and returns the value before: `Ok` if it was. Bits are compared: a NaN equals
    /// itself, and -0 is not +0. One ordering holds for success and failure.
    ///
    /// PTX: `atom{.sem}{.scope}{.space}.cas{.type} d, [addr], current, new;`
    ///
    /// ```
    /// # use ptx::{atomic::AtomicRef, qualifier::{B128, scope, sem, space}};
    /// # fn kernel(pair: AtomicRef<'_, B128, scope::Gpu, space::Global>) {
    /// // Both halves at once.
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
        // SAFETY: as in `load`.
        unsafe { T::compare_exchange(sem, self.scope, self.addr, current, new) }
    }
}

/// State: every thread of the CTA may access every element by atomic operations, and by nothing else.
///
/// ```
/// # use ptx::{atomic::Atomic, qualifier::sem, shared::Shared};
/// fn count(bins: &Shared<'_, u32, 256, Atomic>, byte: u8) {
///     if let Some(bin) = bins.atomic(byte.into()) {
///         bin.add(1, sem::Relaxed);
///     }
/// }
/// ```
#[derive(Debug)]
pub enum Atomic {}

/// States from which shared memory can become atomic.
#[diagnostic::on_unimplemented(
    message = "shared memory in the state `{Self}` cannot become atomic",
    label = "holds no values that threads may change",
    note = "give it values first: `.write(&cta, |_| 0).into_atomic(&cta)`, or wait for a load; memory that a copy has read goes there by `.into_free()`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait IntoAtomic: Sealed {}
impl IntoAtomic for Written {}
impl IntoAtomic for Published {}
impl IntoAtomic for Loaded {}

/// The state in which elements are accessed by atomic operations.
#[diagnostic::on_unimplemented(
    message = "shared memory in the state `{Self}` has no atomic elements",
    label = "not atomic now",
    note = "make it atomic with `.into_atomic(&cta)`, by which all threads agree to access it by atomic operations alone"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait AtomicAccess: Sealed {}
impl Sealed for Atomic {}
impl AtomicAccess for Atomic {}
impl ThreadStores for Atomic {}
impl Unfenced for Atomic {}

// What each state is not for.
static_assertions::assert_not_impl_any!(Atomic: IntoAtomic, Readable, AsyncSource, AsyncDestination, Overwritable);
static_assertions::assert_not_impl_any!(Loaded: AtomicAccess);
static_assertions::assert_not_impl_any!(Published: AtomicAccess);
static_assertions::assert_not_impl_any!(Written: AtomicAccess);
static_assertions::assert_not_impl_any!(Free: AtomicAccess, IntoAtomic);
static_assertions::assert_not_impl_any!(FreeGeneric: AtomicAccess, IntoAtomic);
static_assertions::assert_not_impl_any!(Fenced: AtomicAccess, IntoAtomic);

impl<'s, T: Element, const N: usize, State> Shared<'s, T, N, State> {
    /// Makes the elements atomic, once every thread is done with what it did to them before.
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
    pub fn into_atomic(self, cta: &Cta) -> Shared<'s, T, N, Atomic>
    where
        T: AtomicValue,
        State: IntoAtomic,
    {
        cta.sync();
        self.into_state()
    }

    /// Element `i`, or `None` past the end.
    ///
    /// The scope is the CTA: in this state no other thread gets at the memory.
    ///
    /// ```
    /// # use ptx::{atomic::Atomic, qualifier::sem, shared::Shared};
    /// # fn kernel(bins: &Shared<'_, u32, 256, Atomic>) {
    /// if let Some(bin) = bins.atomic(17) {
    ///     bin.add(1, sem::Relaxed); // red.relaxed.cta.shared::cta.add.u32
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn atomic(&self, i: usize) -> Option<AtomicRef<'_, T, scope::Cta, space::SharedCta>>
    where
        T: AtomicValue,
        State: AtomicAccess,
    {
        if i >= N {
            return None;
        }
        // SAFETY: in bounds, and aligned since the array is to 128. The state gives no other access, of this CTA's
        // threads or of copies, and all handles leave it together, at a barrier, which needs this borrow to end.
        Some(unsafe { AtomicRef::new(self.addr() + (i * size_of::<T>()) as u32) })
    }
}

/// A slice of global memory whose elements are accessed by atomic operations alone, until the grid ends, in scope `S`.
///
/// ```
/// # use ptx::{atomic::GlobalAtomics, qualifier::{scope, sem}};
/// # fn kernel(histogram: *mut u32) {
/// // SAFETY: the host passes 256 counters; in this grid and beside it nothing else accesses them.
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

static_assertions::assert_not_impl_any!(GlobalAtomics<u32, scope::Gpu>: Send, Sync);

impl<T, S> Clone for GlobalAtomics<T, S> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, S> Copy for GlobalAtomics<T, S> {}

impl<T, S> GlobalAtomics<T, S> {
    /// # Safety
    ///
    /// - `base` is the generic or global address, aligned to the size of `T`, of `len` elements of global memory.
    /// - until the grid ends, whatever accesses them is an atomic operation on whole elements (of a vector `T`: on its
    ///   elements), in a scope that includes every thread that accesses them, `S` among them: with `scope::Cta`, only the
    ///   threads of one CTA do.
    ///
    /// ```
    /// # use ptx::{atomic::GlobalAtomics, qualifier::scope};
    /// # unsafe fn kernel(flags: *mut u32) {
    /// // SAFETY: the host passes 64 flags, which it too sets by atomic operations: hence `scope::Sys`.
    /// let flags = unsafe { GlobalAtomics::<u32, scope::Sys>::from_raw(flags, 64) };
    /// # }
    /// ```
    #[inline(always)]
    pub const unsafe fn from_raw(base: *mut T, len: usize) -> Self
    where
        T: AtomicValue,
        S: AtomicViewScope,
    {
        GlobalAtomics { base, len, scope: PhantomData }
    }

    /// The number of elements.
    ///
    /// ```
    /// # use ptx::{atomic::GlobalAtomics, qualifier::scope};
    /// # fn kernel(histogram: GlobalAtomics<u32, scope::Gpu>) {
    /// let bins = histogram.len();
    /// # }
    /// ```
    #[inline(always)]
    pub const fn len(self) -> usize {
        self.len
    }

    /// Whether there are none.
    ///
    /// ```
    /// # use ptx::{atomic::GlobalAtomics, qualifier::scope};
    /// # fn kernel(histogram: GlobalAtomics<u32, scope::Gpu>) {
    /// let nothing_to_count = histogram.is_empty();
    /// # }
    /// ```
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }

    /// Element `i`, or `None` past the end.
    ///
    /// ```
    /// # use ptx::{atomic::GlobalAtomics, qualifier::scope};
    /// # fn kernel(histogram: GlobalAtomics<u32, scope::Gpu>) {
    /// let seventeenth = histogram.get(17); // an `AtomicRef`, if there are more than 17
    /// # }
    /// ```
    #[inline(always)]
    pub fn get(self, i: usize) -> Option<AtomicRef<'static, T, S, space::Global>>
    where
        T: AtomicValue,
        S: AtomicViewScope,
    {
        if i >= self.len {
            return None;
        }
        // SAFETY: in bounds; the contract of `from_raw`, until the grid ends.
        Some(unsafe { AtomicRef::new(self.base.add(i).cast()) })
    }

    /// The same elements as vectors of `N`, without those after the last whole vector; `None` if the slice does not start at a
    /// multiple of 16 bytes. Operations on the vectors and on the elements are atomic towards each other: "the atomicity is
    /// guaranteed separately for each of the individual scalar elements" (9.7.13.5).
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
        // Vectors have 16 bytes at most.
        if !self.base.addr().is_multiple_of(ALIGN) {
            return None;
        }
        Some(GlobalAtomics { base: self.base.cast(), len: self.len / N, scope: PhantomData })
    }
}
