//! `ptx::fence`.

use ptx::fence;
use ptx::qualifier::{scope, sem, space};
use ptx::raw;

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_fence_threads() {
    fence::acq_rel(scope::Cta);
    fence::acquire(scope::Cluster);
    fence::release(scope::Gpu);
    fence::sc(scope::Sys);
    fence::mbarrier_init();
}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_fence_threads() {
    raw::fence(sem::AcqRel, scope::Cta);
    raw::fence(sem::Acquire, scope::Cluster);
    raw::fence(sem::Release, scope::Gpu);
    raw::fence(sem::Sc, scope::Sys);
    raw::fence_mbarrier_init();
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_fence_proxies() {
    fence::proxy_alias();
    fence::proxy_async(space::All);
    fence::proxy_async(space::Global);
    fence::proxy_async(space::SharedCta);
    fence::proxy_async(space::SharedCluster);
}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_fence_proxies() {
    raw::fence_proxy_alias();
    raw::fence_proxy_async(space::All);
    raw::fence_proxy_async(space::Global);
    raw::fence_proxy_async(space::SharedCta);
    raw::fence_proxy_async(space::SharedCluster);
}
