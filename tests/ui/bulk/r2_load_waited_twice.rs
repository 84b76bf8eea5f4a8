//! A copy is waited for once.

use ptx::bulk;
use ptx::global::GlobalTile;
use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Ready};
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 1024>, bar: Mbarrier<Ready>, src: GlobalTile<f32, 1024>) {
    cta.async_scope((tile, bar), |cta, (tile, bar)| {
        let load = bulk::load(cta, bar, tile, src);
        let (bar, tile, _src) = load.wait(cta);
        #[cfg(not(fixed))]
        let (_bar, _tile, _src) = load.wait(cta);
        (tile.release(cta), bar)
    });
}
