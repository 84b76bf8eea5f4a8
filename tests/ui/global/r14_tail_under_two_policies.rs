//! A copy takes one cache policy.

use ptx::cache_policy::CachePolicy;
use ptx::cp_async;
use ptx::global::Tail;
use ptx::launch::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 1024>, tail: Tail<f32>) {
    #[cfg(not(fixed))]
    let tail = tail.cache_hint(CachePolicy::evict_first()).cache_hint(CachePolicy::evict_last());
    #[cfg(fixed)]
    let tail = tail.cache_hint(CachePolicy::evict_last());
    cta.async_scope(tile, |cta, tile| {
        let (tile, _) = cp_async::load_zero_filled(cta, tile, tail).wait_all(cta);
        tile.to_async(cta).into_free()
    });
}
