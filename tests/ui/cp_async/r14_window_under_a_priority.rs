//! A priority becomes a cache policy by `createpolicy`.

use ptx::cache_policy::{CacheHint, CachePolicy};
use ptx::cp_async;
use ptx::global::Global;
use ptx::group::Cta;
use ptx::qualifier::evict;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 130>, src: Global<f32>) {
    #[cfg(not(fixed))]
    let window = src.window(-1).cache_hint(evict::Last);
    #[cfg(fixed)]
    let window = src.window(-1).cache_hint(CachePolicy::evict_last());
    cta.async_scope(tile, |cta, tile| {
        let (tile, _) = cp_async::load_window(cta, tile, window).commit(cta).wait().sync(cta);
        tile.to_async().sync(cta).into_free()
    });
}
