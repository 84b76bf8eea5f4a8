//! Fences (9.7.13.4): orderings between memory accesses of one thread, for other threads or other proxies to see.
//!
//! The handles of this crate bring the fences that their transitions need. These are for what goes around them: flags in
//! memory, memory that is reached in two ways, descriptors that a kernel changes. A fence does no harm where it is not
//! needed, so all are safe.
//!
//! - *Thread fences* order what this thread did before against what it does after. They pair through memory: a value that
//!   one thread stores after its fence and another loads before its own. [`acq_rel`], [`acquire`], [`release`], [`sc`].
//! - *Proxy fences* order accesses to one location that go different ways: ordinary ones (the generic proxy) and those of
//!   asynchronous copies (the async proxy), of tensor maps, or through another address of the same memory.

use crate::global::TileSource;
use crate::raw::{self, FenceScope, ProxyAsyncSpace};

/// Orders the thread's accesses before against those after, both ways: what a flag between two threads needs on both
/// sides, if the flag itself is accessed by relaxed operations.
///
/// PTX: `fence.acq_rel{.scope};`
///
/// ```
/// # use ptx::{atomic::AtomicRef, fence, qualifier::{scope, sem, space}};
/// # fn kernel(flag: AtomicRef<'_, u32, scope::Gpu, space::Global>) {
/// // … stores, which the thread that reads the flag as 1, and then fences, sees …
/// fence::acq_rel(scope::Gpu);
/// flag.add(1, sem::Relaxed);
/// # }
/// ```
#[inline(always)]
pub fn acq_rel(scope: impl FenceScope) {
    raw::fence(crate::qualifier::sem::AcqRel, scope)
}

/// The acquire half of [`acq_rel`]: behind the relaxed load that saw the flag.
///
/// PTX: `fence.acquire{.scope};`
///
/// ```
/// # use ptx::{atomic::AtomicRef, fence, qualifier::{scope, sem, space}};
/// # fn kernel(flag: AtomicRef<'_, u32, scope::Gpu, space::Global>) {
/// while flag.fetch_or(0, sem::Relaxed) == 0 {}
/// fence::acquire(scope::Gpu);
/// # }
/// ```
#[inline(always)]
pub fn acquire(scope: impl FenceScope) {
    raw::fence(crate::qualifier::sem::Acquire, scope)
}

/// The release half of [`acq_rel`]: before the relaxed operation that sets the flag.
///
/// PTX: `fence.release{.scope};`
///
/// ```
/// # use ptx::{atomic::AtomicRef, fence, qualifier::{scope, sem, space}};
/// # fn kernel(flag: AtomicRef<'_, u32, scope::Gpu, space::Global>) {
/// // … stores, which are visible behind the `acquire` of who sees the flag …
/// fence::release(scope::Gpu);
/// flag.or(1, sem::Relaxed);
/// # }
/// ```
#[inline(always)]
pub fn release(scope: impl FenceScope) {
    raw::fence(crate::qualifier::sem::Release, scope)
}

/// A fence of a total order per scope, which [`acq_rel`] does not have: "a slower fence that can restore sequential
/// consistency when used in sufficient places" (9.7.13.4). For two threads that each store and then load what the other
/// stored, of which one has to see the other's.
///
/// PTX: `fence.sc{.scope};`
///
/// ```
/// # use ptx::{atomic::AtomicRef, fence, qualifier::{scope, sem, space}};
/// # type Flag = AtomicRef<'static, u32, scope::Gpu, space::Global>;
/// # fn kernel(mine: Flag, yours: Flag) {
/// mine.or(1, sem::Relaxed);
/// fence::sc(scope::Gpu);
/// let alone = yours.fetch_or(0, sem::Relaxed) == 0; // not true in both threads
/// # }
/// ```
#[inline(always)]
pub fn sc(scope: impl FenceScope) {
    raw::fence(crate::qualifier::sem::Sc, scope)
}

/// [`acquire`] in cluster scope whose effect "only applies to operations performed on objects in `.shared::cluster`" (9.7.13.4):
/// behind a relaxed wait on an mbarrier that other CTAs arrive on.
///
/// PTX: `fence.acquire.sync_restrict::shared::cluster.cluster;`
///
/// ```
/// # use ptx::{fence, qualifier::{suspend_time_hint, scope, sem, space::SharedCta}, raw};
/// # unsafe fn kernel(bar: u32, parity: u32) {
/// // SAFETY: `bar` is the address of an initialized mbarrier, in the phase of that parity or the next.
/// let arrived =
///     || unsafe { raw::mbarrier_try_wait_parity(sem::Relaxed, scope::Cluster, SharedCta, bar, parity, suspend_time_hint::None) };
/// while !arrived() {}
/// fence::acquire_shared_cluster();
/// # }
/// ```
#[inline(always)]
pub fn acquire_shared_cluster() {
    raw::fence_acquire_sync_restrict()
}

/// [`release`] in cluster scope whose effect "only applies to operations performed on objects in `.shared::cta`" (9.7.13.4):
/// before a relaxed arrive on an mbarrier of another CTA.
///
/// PTX: `fence.release.sync_restrict::shared::cta.cluster;`
///
/// ```
/// # use ptx::{fence, qualifier::{arrivals, scope, sem}, raw};
/// # unsafe fn kernel(bar: u32) {
/// // … stores to this CTA's shared memory …
/// fence::release_shared_cta();
/// // SAFETY: `bar` is the `.shared::cluster` address of an mbarrier that expects this arrival.
/// unsafe { raw::mbarrier_arrive_shared_cluster(sem::Relaxed, scope::Cluster, bar, arrivals::One) };
/// # }
/// ```
#[inline(always)]
pub fn release_shared_cta() {
    raw::fence_release_sync_restrict()
}

/// Publishes the thread's `mbarrier.init` before it to the cluster, and orders nothing else: it stands between `mbarrier.init`
/// and a relaxed `barrier.cluster.arrive`. [`Mbarrier::init`](crate::mbarrier::Mbarrier::init) has it.
///
/// PTX: `fence.mbarrier_init.release.cluster;`
///
/// ```
/// # use ptx::{fence, qualifier::{convergence, sem, space}, raw};
/// # unsafe fn kernel(bar: u32) {
/// // SAFETY: `bar` is the address of eight bytes for an mbarrier; each thread waits before it arrives again.
/// unsafe {
///     raw::mbarrier_init(space::SharedCta, bar, 1);
///     fence::mbarrier_init();
///     raw::barrier_cluster_arrive(sem::Relaxed, convergence::Unaligned);
/// }
/// # }
/// ```
#[inline(always)]
pub fn mbarrier_init() {
    raw::fence_mbarrier_init()
}

/// Orders accesses to one location through different virtual addresses of it, both ways: for memory that the host has
/// mapped twice.
///
/// PTX: `fence.proxy.alias;`
///
/// ```
/// # use ptx::{atomic::AtomicRef, fence, multimem::MulticastRef, qualifier::{scope, sem, space}};
/// # fn kernel(everywhere: MulticastRef<u32>, here: AtomicRef<'_, u32, scope::Sys, space::Global>) {
/// // The same location by its multimem address and by the GPU's own.
/// everywhere.reduce_add(1, sem::Relaxed);
/// fence::proxy_alias();
/// let mine = here.fetch_or(0, sem::Relaxed);
/// # }
/// ```
#[inline(always)]
pub fn proxy_alias() {
    raw::fence_proxy_alias()
}

/// Orders ordinary accesses and those of asynchronous copies in a space, both ways: between what this thread stored and a
/// copy that reads it. With other threads between, the fence comes before the barrier or the flag that tells them.
/// [`Shared`](crate::shared::Shared) has it in its transitions; global memory that a kernel both stores to and copies from
/// needs it.
///
/// PTX: `fence.proxy.async;`, `fence.proxy.async.global;`, `fence.proxy.async.shared::cta;` or
/// `fence.proxy.async.shared::cluster;`
///
/// ```
/// # use ptx::{fence, launch::Cta, qualifier::space};
/// # fn kernel(cta: &Cta) {
/// // … each thread stores to global memory …
/// fence::proxy_async(space::Global);
/// cta.sync();
/// // … a bulk copy reads it …
/// # }
/// ```
#[inline(always)]
pub fn proxy_async(space: impl ProxyAsyncSpace) {
    raw::fence_proxy_async(space)
}

/// [`acquire_shared_cluster`] for accesses of the async proxy: before copies that rely on what other CTAs released by
/// [`proxy_async_release_shared_cta`].
///
/// PTX: `fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;`
///
/// ```
/// # use ptx::{fence, qualifier::{suspend_time_hint, scope, sem, space::SharedCta}, raw};
/// # unsafe fn kernel(bar: u32, parity: u32) {
/// // SAFETY: `bar` is the address of an initialized mbarrier, in the phase of that parity or the next.
/// let arrived =
///     || unsafe { raw::mbarrier_try_wait_parity(sem::Relaxed, scope::Cluster, SharedCta, bar, parity, suspend_time_hint::None) };
/// while !arrived() {}
/// fence::proxy_async_acquire_shared_cluster();
/// // … a copy to the CTAs that arrived …
/// # }
/// ```
#[inline(always)]
pub fn proxy_async_acquire_shared_cluster() {
    raw::fence_proxy_async_generic_acquire_sync_restrict()
}

/// [`release_shared_cta`] for accesses of the async proxy: what this thread did to its shared memory, for copies that other
/// CTAs start.
///
/// PTX: `fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;`
///
/// ```
/// # use ptx::{fence, qualifier::{arrivals, scope, sem}, raw};
/// # unsafe fn kernel(bar: u32) {
/// // … loads of this CTA's shared memory, which another CTA's copy may now overwrite …
/// fence::proxy_async_release_shared_cta();
/// // SAFETY: `bar` is the `.shared::cluster` address of an mbarrier that expects this arrival.
/// unsafe { raw::mbarrier_arrive_shared_cluster(sem::Relaxed, scope::Cluster, bar, arrivals::One) };
/// # }
/// ```
#[inline(always)]
pub fn proxy_async_release_shared_cta() {
    raw::fence_proxy_async_generic_release_sync_restrict()
}

/// Releases what the thread stored to a tensor map in memory, for tensor copies behind a [`proxy_tensormap_acquire`] in the
/// same scope.
///
/// PTX: `fence.proxy.tensormap::generic.release{.scope};`
///
/// ```
/// # use ptx::{atomic::AtomicRef, fence, qualifier::{scope, sem, space}};
/// # fn kernel(changed: AtomicRef<'_, u32, scope::Gpu, space::Global>) {
/// // … `tensormap.replace` of a map in global memory …
/// fence::proxy_tensormap_release(scope::Gpu);
/// changed.or(1, sem::Relaxed); // for who has a `proxy_tensormap_acquire` behind it
/// # }
/// ```
#[inline(always)]
pub fn proxy_tensormap_release(scope: impl FenceScope) {
    raw::fence_proxy_tensormap_generic_release(scope)
}

/// Acquires a tensor map that was changed in global memory, before the first tensor copy by it. A tensor map that the host
/// wrote before the launch needs no fence.
///
/// The map is 128 bytes, "the only supported value", and "must fall within the `.global` state space" (9.7.13.4): a tile of
/// that size.
///
/// PTX: `fence.proxy.tensormap::generic.acquire{.scope} [map], 128;`
///
/// ```
/// # use ptx::{fence, global::GlobalTile, qualifier::scope};
/// # fn kernel(map: GlobalTile<u64, 16>) {
/// fence::proxy_tensormap_acquire(scope::Gpu, &map);
/// # }
/// ```
#[inline(always)]
pub fn proxy_tensormap_acquire<T, const N: usize>(scope: impl FenceScope, map: &impl TileSource<T, N>) {
    const { assert!(crate::size::bytes::<T, N>() == 128, "a tensor map has 128 bytes (PTX ISA 9.7.13.4)") };
    // SAFETY: 9.7.13.4: "the address specified by the operand `addr` must fall within the `.global` state space": a tile is
    // global memory, of 128 bytes as asserted above.
    unsafe { raw::fence_proxy_tensormap_generic_acquire(scope, map.base().cast()) }
}
