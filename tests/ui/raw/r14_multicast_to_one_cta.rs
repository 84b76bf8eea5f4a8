//! A multicast goes to `.shared::cluster`.

use ptx::mask::CtaMask;
use ptx::qualifier::{cache_hint, cta_group, multicast, space};
use ptx::raw;

pub fn kernel(dst: u32, map: *const u8, bar: u32) {
    let (both, hint) = (multicast::Cluster(CtaMask::CTA_0 | CtaMask::CTA_1), cache_hint::None);
    // SAFETY: the example assumes a valid tensor map, and that both CTAs of the cluster have the memory and the mbarrier.
    unsafe {
        #[cfg(not(fixed))]
        {
            raw::cp_async_bulk_tensor_1d_global_tile(space::SharedCta, cta_group::None, dst, map, [0], bar, both, hint)
        }
        #[cfg(fixed)]
        {
            raw::cp_async_bulk_tensor_1d_global_tile(space::SharedCluster, cta_group::None, dst, map, [0], bar, both, hint)
        }
    }
}
