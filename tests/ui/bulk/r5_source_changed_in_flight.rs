//! The source of a copy in flight is not writable.

use ptx::bulk;
use ptx::global::{GlobalTile, GlobalTileMut};
use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Ready};
use ptx::shared::SharedArray;

pub fn kernel(
    cta: &mut Cta,
    tile: SharedArray<f32, 1024>,
    bar: Mbarrier<Ready>,
    src: GlobalTile<f32, 1024>,
    dst: GlobalTileMut<f32, 1024>,
) {
    cta.async_scope((tile, bar), |cta, (tile, bar)| {
        let (bar, tile, _src) = bulk::load(cta, bar, tile, src).wait(cta);
        let group = bulk::store(cta, tile, dst).commit(cta);
        #[cfg(not(fixed))]
        let changed = tile.update(cta, |_, x| x + 1.0);
        #[cfg(not(fixed))]
        let (_tile, _writing) = group.wait_read(cta);
        #[cfg(fixed)]
        let (tile, _writing) = group.wait_read(cta);
        #[cfg(fixed)]
        let changed = tile.into_loaded().update(cta, |_, x| x + 1.0);
        (changed.to_async(cta).into_free(), bar)
    });
}
