//! A copy stays in its scope, wherever its handle is stored.

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
    #[cfg(not(fixed))]
    let mut in_flight = None;
    cta.async_scope((tile, bar), |cta, (tile, bar)| {
        #[cfg(fixed)]
        let mut in_flight = None;
        in_flight.replace(bulk::load(cta, bar, tile, src));
        cta.sync();
        let Some(load) = in_flight.take() else { loop {} };
        let (bar, tile, _src) = load.wait(cta);
        (tile.release().sync(cta), bar)
    });
}
