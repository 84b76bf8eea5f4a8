//! Each of two tiles that are loaded together has the length of its own source.

use ptx::bulk;
use ptx::global::GlobalTile;
use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::shared::SharedArray;

type Tiles = (SharedArray<f32, 1024>, SharedArray<u32, 64>);

#[cfg(not(fixed))]
pub fn kernel(cta: &mut Cta, tiles: Tiles, bar: Mbarrier<Uninit>, src: (GlobalTile<f32, 1024>, GlobalTile<u32, 128>)) {
    cta.async_scope((tiles, bar), |cta, (tiles, bar)| {
        let (bar, (a, b), _src) = bulk::load(cta, bar, tiles, src).wait(cta);
        ((a.release().sync(cta), b.release().sync(cta)), bar)
    });
}

#[cfg(fixed)]
pub fn kernel(cta: &mut Cta, tiles: Tiles, bar: Mbarrier<Uninit>, src: (GlobalTile<f32, 1024>, GlobalTile<u32, 64>)) {
    cta.async_scope((tiles, bar), |cta, (tiles, bar)| {
        let (bar, (a, b), _src) = bulk::load(cta, bar, tiles, src).wait(cta);
        ((a.release().sync(cta), b.release().sync(cta)), bar)
    });
}
