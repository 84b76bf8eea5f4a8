//! Memory fences (`__threadfence()`, `cuda::atomic_thread_fence`) and proxy fences (9.7.13.4): they order a thread's memory
//! accesses as other threads, or other proxies, see them.
//!
//! The transitions of this crate's handles include the fences that they need. Use these functions around the handles: for flags
//! in memory, for memory that is reached in two ways, for tensor maps that a kernel changes. All are safe, since a needless fence
//! does no harm.
//!
//! - *Thread fences* ([`acq_rel`], [`acquire`], [`release`], [`sc`]) order this thread's earlier accesses before its later ones.
//!   Two fences pair through memory: one thread stores a value after its fence, another thread loads the value before its own
//!   fence.
//! - *Proxy fences* order accesses to one location by different ways: ordinary accesses (the generic proxy), asynchronous copies
//!   (the async proxy), accesses to a tensor map (the tensormap proxy), or accesses through another address of the same memory.
//!
//! ```
//! use ptx::{atomic::AtomicRef, fence, qualifier::{scope, sem, space}};
//! type Flag = AtomicRef<'static, u32, scope::Gpu, space::Global>;
//! fn publish(flag: Flag) {
//!     // … stores …
//!     fence::release(scope::Gpu);
//!     flag.or(1, sem::Relaxed);
//! }
//! fn consume(flag: Flag) {
//!     while flag.fetch_or(0, sem::Relaxed) == 0 {}
//!     fence::acquire(scope::Gpu);
//!     // … loads, which see the stores …
//! }
//! ```

use crate::raw::{self, FenceScope, ProxyAsyncSpace};

/// Acquire-release fence (`cuda::memory_order_acq_rel`): orders the thread's earlier accesses before its later ones.
///
/// The fence is both an [`acquire`] and a [`release`]. If two threads communicate by a flag that relaxed operations access, both
/// need such a fence.
///
/// PTX: `fence.acq_rel{.scope};`
#[inline(always)]
#[doc(alias = "cuda::atomic_thread_fence")]
pub fn acq_rel(scope: impl FenceScope) {
    raw::fence(crate::qualifier::sem::AcqRel, scope)
}

/// Acquire fence (`cuda::memory_order_acquire`), after the relaxed load that saw a flag: later accesses see the accesses before
/// the other thread's [`release`].
///
/// PTX: `fence.acquire{.scope};`
#[inline(always)]
#[doc(alias = "cuda::atomic_thread_fence")]
pub fn acquire(scope: impl FenceScope) {
    raw::fence(crate::qualifier::sem::Acquire, scope)
}

/// Release fence (`cuda::memory_order_release`), before the relaxed operation that sets a flag: a thread that sees the flag and
/// then calls [`acquire`] sees this thread's earlier accesses.
///
/// PTX: `fence.release{.scope};`
#[inline(always)]
#[doc(alias = "cuda::atomic_thread_fence")]
pub fn release(scope: impl FenceScope) {
    raw::fence(crate::qualifier::sem::Release, scope)
}

/// Sequentially consistent fence (`__threadfence()`): orders as [`acq_rel`] does, and stands in one total order with the other
/// such fences of its scope. It is "a slower fence that can restore *sequential consistency* when used in sufficient places"
/// (9.7.13.4).
///
/// Use it if two threads each store a value and then load the other's, and at least one must see the other's store.
///
/// PTX: `fence.sc{.scope};`
///
/// ```
/// # use ptx::{atomic::AtomicRef, fence, qualifier::{scope, sem, space}};
/// # type Flag = AtomicRef<'static, u32, scope::Gpu, space::Global>;
/// # fn kernel(mine: Flag, yours: Flag) {
/// mine.or(1, sem::Relaxed);
/// fence::sc(scope::Gpu);
/// let alone = yours.fetch_or(0, sem::Relaxed) == 0; // true in one of the two threads at most
/// # }
/// ```
#[inline(always)]
#[doc(alias("__threadfence", "__threadfence_block", "__threadfence_system"))]
pub fn sc(scope: impl FenceScope) {
    raw::fence(crate::qualifier::sem::Sc, scope)
}

/// Publishes the thread's earlier `mbarrier.init` operations to the cluster, and orders nothing else.
///
/// The fence stands between `mbarrier.init` and a relaxed `barrier.cluster.arrive`.
/// [`Mbarrier::init`](crate::mbarrier::Mbarrier::init) includes it.
///
/// PTX: `fence.mbarrier_init.release.cluster;`
#[inline(always)]
#[doc(alias("cuda::ptx::fence_mbarrier_init", "cutlass::arch::fence_barrier_init", "fence_mbarrier_init"))]
pub fn mbarrier_init() {
    raw::fence_mbarrier_init()
}

/// Orders accesses to one location through different virtual addresses, in both directions: for memory that the host has mapped
/// twice.
///
/// PTX: `fence.proxy.alias;`
///
/// ```
/// # use ptx::{atomic::AtomicRef, fence, multimem::MulticastRef, qualifier::{scope, sem, space}};
/// # fn kernel(everywhere: MulticastRef<u32>, here: AtomicRef<'_, u32, scope::Sys, space::Global>) {
/// // One location, by its multimem address and by the GPU's own address.
/// everywhere.reduce_add(1, sem::Relaxed);
/// fence::proxy_alias();
/// let mine = here.fetch_or(0, sem::Relaxed);
/// # }
/// ```
#[inline(always)]
#[doc(alias("cuda::ptx::fence_proxy_alias", "fence_proxy_alias"))]
pub fn proxy_alias() {
    raw::fence_proxy_alias()
}

/// Orders ordinary accesses (the generic proxy) and accesses of asynchronous copies (the async proxy) to a state space, in both
/// directions (`cuda::ptx::fence_proxy_async`).
///
/// The fence stands between this thread's stores and a copy that reads them. If another thread starts the copy, the fence comes
/// before the barrier or the flag that tells that thread. The transitions of [`Shared`](crate::shared::Shared) include it. Global
/// memory that a kernel both stores to and copies from needs it.
///
/// PTX: `fence.proxy.async;`, `fence.proxy.async.global;`, `fence.proxy.async.shared::cta;` or
/// `fence.proxy.async.shared::cluster;`
///
/// ```
/// # use ptx::{fence, group::Cta, qualifier::space};
/// # fn kernel(cta: &Cta) {
/// // … each thread stores to global memory …
/// fence::proxy_async(space::Global);
/// cta.sync();
/// // … a bulk copy reads that memory …
/// # }
/// ```
#[inline(always)]
#[doc(alias("cuda::ptx::fence_proxy_async", "cutlass::arch::fence_view_async_shared", "fence_proxy_async"))]
pub fn proxy_async(space: impl ProxyAsyncSpace) {
    raw::fence_proxy_async(space)
}
