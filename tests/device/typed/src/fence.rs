//! `ptx::fence`.

use ptx::fence;
use ptx::global::Global;
use ptx::qualifier::{scope, sem, space};
use ptx::raw;

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_fence_threads() {
    fence::acq_rel(scope::Cta);
    fence::acquire(scope::Cluster);
    fence::release(scope::Gpu);
    fence::sc(scope::Sys);
    fence::acquire_shared_cluster();
    fence::release_shared_cta();
    fence::mbarrier_init();
}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_fence_threads() {
    raw::fence(sem::AcqRel, scope::Cta);
    raw::fence(sem::Acquire, scope::Cluster);
    raw::fence(sem::Release, scope::Gpu);
    raw::fence(sem::Sc, scope::Sys);
    raw::fence_acquire_sync_restrict();
    raw::fence_release_sync_restrict();
    raw::fence_mbarrier_init();
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_fence_proxies(map: *const u64) {
    fence::proxy_alias();
    fence::proxy_async(space::All);
    fence::proxy_async(space::Global);
    fence::proxy_async(space::SharedCta);
    fence::proxy_async(space::SharedCluster);
    fence::proxy_async_acquire_shared_cluster();
    fence::proxy_async_release_shared_cta();
    fence::proxy_tensormap_release(scope::Gpu);
    if let Some(map) = unsafe { Global::from_raw(map, 16) }.tiles::<16>().0.get(0) {
        fence::proxy_tensormap_acquire(scope::Sys, &map);
    }
}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_fence_proxies(map: *const u64) {
    raw::fence_proxy_alias();
    raw::fence_proxy_async(space::All);
    raw::fence_proxy_async(space::Global);
    raw::fence_proxy_async(space::SharedCta);
    raw::fence_proxy_async(space::SharedCluster);
    raw::fence_proxy_async_generic_acquire_sync_restrict();
    raw::fence_proxy_async_generic_release_sync_restrict();
    raw::fence_proxy_tensormap_generic_release(scope::Gpu);
    unsafe { raw::fence_proxy_tensormap_generic_acquire(scope::Sys, map.cast()) };
}
