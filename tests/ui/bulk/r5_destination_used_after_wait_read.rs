//! The waits for the reads return the sources only: the copies may still be writing the destinations.

use ptx::bulk;
use ptx::global::GlobalTileMut;
use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, dst: GlobalTileMut<f32, 1024>, tile: SharedArray<f32, 1024>, bar: Mbarrier<Uninit>) {
    cta.async_scope((tile, bar), |cta, (tile, bar)| {
        let tile = tile.write(cta, |_| 1.0).to_async().sync(cta);
        #[cfg(not(fixed))]
        let (tile, dst) = bulk::store(cta, tile, dst).commit(cta).wait_read_split(cta).sync(cta);
        #[cfg(fixed)]
        let (tile, group) = bulk::store(cta, tile, dst).commit(cta).wait_read_split(cta).sync(cta);
        #[cfg(fixed)]
        let dst = group.wait(cta).sync(cta);
        let (bar, tile, _dst) = bulk::load(cta, bar, tile, dst).wait(cta);
        (tile.release().sync(cta), bar)
    });
}
