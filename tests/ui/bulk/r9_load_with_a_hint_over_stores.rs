//! A cache policy is no proxy fence: stores of threads are fenced before a copy overwrites them.

use ptx::bulk;
use ptx::cache_policy::{CacheHint, CachePolicy};
use ptx::global::GlobalTile;
use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 1024>, bar: Mbarrier<Uninit>, src: GlobalTile<f32, 1024>) {
    cta.async_scope((tile, bar), |cta, (tile, bar)| {
        #[cfg(not(fixed))]
        let tile = tile.write(cta, |_| 0.0);
        #[cfg(fixed)]
        let tile = tile.write(cta, |_| 0.0).to_async().sync(cta).into_free();
        let (bar, tile, _src) = bulk::load(cta, bar, tile, src.cache_hint(CachePolicy::evict_first())).wait(cta);
        (tile.release().sync(cta), bar)
    });
}
