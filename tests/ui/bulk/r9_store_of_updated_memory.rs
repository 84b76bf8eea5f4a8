//! Updates by threads are fenced before a copy reads them.

use ptx::bulk;
use ptx::global::{GlobalTile, GlobalTileMut};
use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::shared::SharedArray;

pub fn kernel(
    cta: &mut Cta,
    tile: SharedArray<f32, 1024>,
    bar: Mbarrier<Uninit>,
    src: GlobalTile<f32, 1024>,
    dst: GlobalTileMut<f32, 1024>,
) {
    let (_tile, _bar) = cta.async_scope((tile, bar), |cta, (tile, bar)| {
        let (bar, tile, _src) = bulk::load(cta, bar, tile, src).wait(cta);
        #[cfg(not(fixed))]
        let tile = tile.update(cta, |_, x| x + 1.0);
        #[cfg(fixed)]
        let tile = tile.update(cta, |_, x| x + 1.0).to_async().sync(cta);
        let tile = bulk::store(cta, tile, dst).commit(cta).wait_read(cta).sync(cta);
        (tile, bar)
    });
}
