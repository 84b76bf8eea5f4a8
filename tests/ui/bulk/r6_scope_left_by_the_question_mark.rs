//! An early return by `?` also returns the memory of the scope.

use ptx::bulk;
use ptx::global::Tiles;
use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 1024>, bar: Mbarrier<Uninit>, src: Tiles<f32, 1024>) {
    cta.async_scope((tile, bar), |cta, (tile, bar)| {
        let Some(first) = src.get(0) else { return (tile, bar) };
        let load = bulk::load(cta, bar, tile, first);
        #[cfg(not(fixed))]
        let second = src.get(1)?;
        let (bar, tile, _src) = load.wait(cta);
        #[cfg(fixed)]
        let Some(second) = src.get(1) else { return (tile.release().sync(cta), bar) };
        let (bar, tile, _src) = bulk::load(cta, bar, tile.release().sync(cta), second).wait(cta);
        (tile.release().sync(cta), bar)
    });
}
