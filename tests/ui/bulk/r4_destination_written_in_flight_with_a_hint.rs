//! A cache hint does not change ownership: the destination is writable only after the wait.

use ptx::bulk;
use ptx::cache_policy::CachePolicy;
use ptx::global::GlobalTile;
use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Ready};
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 1024>, bar: Mbarrier<Ready>, src: GlobalTile<f32, 1024>) {
    cta.async_scope((tile, bar), |cta, (tile, bar)| {
        let load = bulk::load(cta, bar, tile, src.cache_hint(CachePolicy::evict_first()));
        let _written = tile.write(cta, |_| 0.0);
        let (bar, tile, _src) = load.wait(cta);
        (tile.release(cta), bar)
    });
}
