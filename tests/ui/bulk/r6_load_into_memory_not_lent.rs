//! A copy takes shared memory of a scope only: the scope ends when the copy is complete.

use ptx::bulk;
use ptx::global::GlobalTile;
use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Ready, Uninit};
use ptx::shared::SharedArray;

#[cfg(not(fixed))]
pub fn kernel(cta: &Cta, tile: SharedArray<f32, 1024>, bar: Mbarrier<Ready>, src: GlobalTile<f32, 1024>) {
    let (_bar, tile, _src) = bulk::load(cta, bar, tile, src).wait(cta);
    let _ = tile.get(0);
}

#[cfg(fixed)]
pub fn kernel(
    cta: &mut Cta,
    tile: SharedArray<f32, 1024>,
    bar: Mbarrier<Uninit>,
    src: GlobalTile<f32, 1024>,
) {
    cta.async_scope((tile, bar), |cta, (tile, bar)| {
        let (bar, tile, _src) = bulk::load(cta, bar, tile, src).wait(cta);
        let _ = tile.get(0);
        (tile.release().sync(cta), bar)
    });
}
