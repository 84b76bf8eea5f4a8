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
//! [`raw::atom_and`](crate::raw::atom_and). This module builds them from other instructions:
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
//! [`cache_hint`](crate::cache_policy::CacheHint::cache_hint) adds an L2 cache policy (L2 eviction policy) to a reference to global memory. The operations of that
//! reference have `.L2::cache_hint`. The reference has no `compare_exchange`, since `.cas` takes no policy, and no `load` and
//! `store`.
//!
//! # Asynchronous operations
//!
//! On sm_100 and higher, [`AtomicRef::store_async`] and [`AtomicRef::add_async`] start a store or an addition in global memory
//! and do not wait for it: `st.async` (9.7.9.12) and `red.async` (9.7.13.7), with release semantics in scope `.gpu` or `.sys`.
//! Their forms with `.mmio` are only in [`raw`](crate::raw): an [`AtomicRef`] cannot make promises about memory-mapped I/O.
//!
//! # Half precision
//!
//! `half::f16` and `half::bf16` have `add`, `compare_exchange`, `load` and `store`. `[f16; 2]` and `[bf16; 2]` add as the packed
//! types `.f16x2` and `.bf16x2`. Vectors of both have `add`, `min` and
//! `max` in global memory.

use core::marker::PhantomData;

mod global;
mod messages;
mod operations;

pub use global::GlobalAtomics;
pub use messages::Messages;
pub use operations::*;

use crate::cache_policy::{CacheHint, CachePolicy, L2Policy};
use crate::group::Cta;
use crate::qualifier::{scope, sem, space};
use crate::raw::{AtomSem, LdSem, RedAsyncReleaseScope, RedSem, StAsyncScope, StSem};
pub use crate::shared::{Atomic, AtomicAccess, IntoAtomic};
use crate::shared::{Element, Shared};

/// A reference to one value that only atomic operations access, like `cuda::atomic_ref`: a `T` in `Space`, with scope `S` for
/// every access.
///
/// It comes from [`Shared::atomic`], [`Peer::atomic`](crate::cluster::Peer::atomic) or [`GlobalAtomics::get`]. Any number of
/// threads may refer to the same value, and each thread uses its reference independently.
///
/// In the PTX of its methods, `.sem` is the argument `sem`, `.scope` is `S`, `.space` is `Space`, and `.type` is the type of `T`.
/// For signed and unsigned integers alike, `.type` is `.b32` or `.b64` where the operation is bitwise; for `.add` of an `i64` it
/// is `.u64`. `P` is `()`, or the L2 cache policy of [`cache_hint`](crate::cache_policy::CacheHint::cache_hint).
///
/// ```
/// # use ptx::{atomic::AtomicRef, qualifier::{scope, sem, space}};
/// # fn kernel(tickets: AtomicRef<'_, u32, scope::Gpu, space::Global>) {
/// let ticket = tickets.fetch_add(1, sem::Relaxed); // atom.relaxed.gpu.global.add.u32
/// tickets.max(7, sem::Release); // red.release.gpu.global.max.u32
/// # }
/// ```
#[derive(Debug)]
#[doc(alias("cuda::atomic_ref", "cuda::memory_order"))]
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

impl<T, S, Space: AtomicSpace, P> crate::qualifier::Sealed for AtomicRef<'_, T, S, Space, P> {}
impl<'a, T: AtomicValue, S: AtomicViewScope> CacheHint for AtomicRef<'a, T, S, space::Global> {
    type Hinted = AtomicRef<'a, T, S, space::Global, CachePolicy>;
    #[inline(always)]
    fn cache_hint(self, policy: CachePolicy) -> Self::Hinted {
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
    /// # use ptx::{atomic::GlobalAtomics, group::Cta, qualifier::scope};
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

impl AtomicRef<'_, u32, scope::Gpu, space::Global> {
    /// Counts the CTAs of the grid that have made the call, and returns true in the one that is the last (`threadFenceReduction` of
    /// CUDA's samples). Its threads see what all threads of the grid did before they made the call.
    ///
    /// The count begins at 0, and is 0 again after the last CTA. All CTAs of the grid make the call once with the same reference, or
    /// equally often.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `barrier.cta.sync.aligned 0;`, then `atom.acq_rel.gpu.global.inc.u32 d, [addr], last;` by the leader, where `last` is the
    /// number of CTAs less 1, then `barrier.cta.red.or.aligned.pred p, 0, is_last;`
    ///
    /// ```
    /// # use ptx::{atomic::GlobalAtomics, group::Cta, qualifier::{scope, sem}};
    /// # fn kernel(cta: &Cta, words: GlobalAtomics<u32, scope::Gpu>, count: GlobalAtomics<u32, scope::Gpu>, mine: u32) {
    /// let (Some(word), Some(count)) = (words.get(cta.grid_rank() as usize), count.get(0)) else { return };
    /// if cta.is_leader() {
    ///     word.store(mine, sem::Relaxed);
    /// }
    /// if count.is_last_cta(cta) {
    ///     // … the words of all CTAs are there: `words.get(i)`, `load(sem::Relaxed)` …
    /// }
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn is_last_cta(self, cta: &Cta) -> bool {
        // Orders what all threads of the CTA did before the leader's release.
        cta.sync();
        let last = cta.grid_size() - 1;
        // The barrier orders the leader's acquire before what the other threads do.
        cta.sync_or(cta.is_leader() && self.fetch_inc(last, sem::AcqRel) == last)
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

    /// Loads the value atomically (`ld.relaxed` or `ld.acquire`; `load` of `cuda::atomic_ref`): a single value, or in global memory
    /// two or four `f32`, `f16` or `bf16`, each of which is atomic by itself.
    ///
    /// PTX: `ld{.sem}{.scope}{.space}{.type} d, [addr];`, where a vector has `.v2` or `.v4`
    ///
    /// ```
    /// # use ptx::{atomic::AtomicRef, qualifier::{scope, sem, space}};
    /// # fn kernel(flag: AtomicRef<'_, u32, scope::Gpu, space::Global>, word: AtomicRef<'_, u32, scope::Gpu, space::Global>) {
    /// while flag.load(sem::Acquire) == 0 {} // ld.acquire.gpu.global.b32
    /// // The other thread called `word.store(…, sem::Relaxed)`, then `flag.store(1, sem::Release)`.
    /// let word = word.load(sem::Relaxed); // ld.relaxed.gpu.global.b32
    /// # }
    /// ```
    #[must_use = "a load has no effect without its value: use the value, or delete the call"]
    #[inline(always)]
    #[doc(alias = "cuda::atomic_ref::load")]
    pub fn load(self, sem: impl LdSem) -> T
    where
        T: AtomicLoadStore<Space>,
        P: Unhinted,
    {
        // SAFETY: the invariant of `AtomicRef` is the contract of `AtomicLoadStore::load`.
        unsafe { T::load(sem, self.scope, self.addr) }
    }

    /// Stores `value` atomically (`st.relaxed` or `st.release`; `store` of `cuda::atomic_ref`): the values that
    /// [`load`](Self::load) loads. With `sem::Release`, a thread that acquires the value sees what this thread did before.
    ///
    /// PTX: `st{.sem}{.scope}{.space}{.type} [addr], value;`, where a vector has `.v2` or `.v4`
    #[inline(always)]
    #[doc(alias = "cuda::atomic_ref::store")]
    pub fn store(self, value: T, sem: impl StSem)
    where
        T: AtomicLoadStore<Space>,
        P: Unhinted,
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
    #[doc(alias("atomicAdd", "cuda::atomic_ref::fetch_add"))]
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
    #[doc(alias = "atomicAdd")]
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
    #[doc(alias("atomicMin", "cuda::atomic_ref::fetch_min"))]
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
    #[doc(alias = "atomicMin")]
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
    #[doc(alias = "atomicMax")]
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
    #[doc(alias = "atomicMax")]
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
    #[doc(alias = "atomicInc")]
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
    #[doc(alias = "atomicInc")]
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
    #[doc(alias = "atomicDec")]
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
    #[doc(alias = "atomicDec")]
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
    #[doc(alias("atomicAnd", "cuda::atomic_ref::fetch_and"))]
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
    #[doc(alias = "atomicAnd")]
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
    #[doc(alias = "atomicOr")]
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
    #[doc(alias = "atomicOr")]
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
    #[doc(alias = "atomicXor")]
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
    #[doc(alias = "atomicXor")]
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
    #[doc(alias("atomicExch", "cuda::atomic_ref::exchange"))]
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
    /// [`fetch_update`](AtomicRef::fetch_update) is the loop that repeats it.
    #[inline(always)]
    #[doc(alias("atomicCAS", "cuda::atomic_ref::compare_exchange_strong"))]
    pub fn compare_exchange(self, current: T, new: T, sem: impl AtomSem) -> Result<T, T>
    where
        T: AtomicCompareExchange<Space>,
        P: Unhinted,
    {
        // SAFETY: the invariant of `AtomicRef` is the contract of the operation.
        unsafe { T::compare_exchange(sem, self.scope, self.addr, current, new) }
    }

    /// Replaces the value `v` by `new(v)`, and returns `v`: a loop of [`compare_exchange`](AtomicRef::compare_exchange), whose first
    /// round takes `guess` for the value.
    ///
    /// A wrong guess costs a round, and so does each change by another thread.
    ///
    /// PTX: `atom{.sem}{.scope}{.space}.cas{.type} d, [addr], current, new;`, in a loop
    ///
    /// ```
    /// # use ptx::{atomic::AtomicRef, qualifier::{B128, scope, sem, space}};
    /// # fn kernel(pair: AtomicRef<'_, B128, scope::Gpu, space::Global>) {
    /// // Changes both halves of a pair in one step.
    /// pair.fetch_update(B128::default(), |now| B128 { lo: now.lo + 1, hi: now.hi ^ now.lo }, sem::Relaxed);
    /// # }
    /// ```
    #[inline(always)]
    pub fn fetch_update(self, guess: T, mut new: impl FnMut(T) -> T, sem: impl AtomSem) -> T
    where
        T: AtomicCompareExchange<Space>,
        P: Unhinted,
    {
        let mut now = guess;
        while let Err(other) = self.compare_exchange(now, new(now), sem) {
            now = other;
        }
        now
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
    /// # use ptx::{group::Cta, qualifier::sem, shared::SharedArray};
    /// # fn kernel(cta: Cta, bins: SharedArray<u32, 256>, byte: u8, out: &mut u32) {
    /// cta.finish(bins, |cta, bins| {
    ///     let bins = bins.write(cta, |_| 0).into_atomic(cta);
    ///     if let Some(bin) = bins.atomic(byte.into()) {
    ///         bin.add(1, sem::Relaxed); // red.relaxed.cta.shared::cta.add.u32
    ///     }
    ///     let bins = bins.publish().sync(cta);
    ///     *out = bins.get(0).unwrap_or(0);
    ///     bins.end()
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
    #[doc(alias = "atomicAdd_block")]
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

handles! {
    Copy: AtomicRef<u32, scope::Gpu, space::Global>, AtomicRef<u32, scope::Cta, space::SharedCta>,
    GlobalAtomics<u32, scope::Gpu>,
}
