//! The destination of a copy is readable only after the wait.

use ptx::bulk;
use ptx::global::GlobalTile;
use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::shared::SharedArray;

pub fn kernel(
    cta: &mut Cta,
    tile: SharedArray<f32, 1024>,
    bar: Mbarrier<Uninit>,
    src: GlobalTile<f32, 1024>,
) {
    cta.async_scope((tile, bar), |cta, (tile, bar)| {
        let load = bulk::load(cta, bar, tile, src);
        #[cfg(not(fixed))]
        let _first = tile.get(0);
        let (bar, tile, _src) = load.wait(cta);
        #[cfg(fixed)]
        let _first = tile.get(0);
        (tile.release().sync(cta), bar)
    });
}
