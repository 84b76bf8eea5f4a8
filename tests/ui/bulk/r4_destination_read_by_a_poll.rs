//! A test for completion gives no access: only the wait returns the tile.

use ptx::bulk;
use ptx::global::GlobalTile;
use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Ready};
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 1024>, bar: Mbarrier<Ready>, src: GlobalTile<f32, 1024>) {
    cta.async_scope((tile, bar), |cta, (tile, bar)| {
        let load = bulk::load(cta, bar, tile, src);
        while !load.is_complete() {}
        #[cfg(not(fixed))]
        let _first = tile.get(0);
        let (bar, tile, _src) = load.wait(cta);
        #[cfg(fixed)]
        let _first = tile.get(0);
        (tile.release(cta), bar)
    });
}
