//! Only `async_scope` opens a scope, because it also checks the end.

use ptx::bulk;
use ptx::global::GlobalTile;
use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Ready};
use ptx::shared::{Scoped, SharedArray};

#[cfg(not(fixed))]
pub fn kernel(cta: &Cta, tile: SharedArray<f32, 1024>, bar: Mbarrier<Ready>, src: GlobalTile<f32, 1024>) {
    let tile = tile.open();
    core::mem::forget(bulk::load(cta, bar, tile, src));
}

#[cfg(fixed)]
pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 1024>, bar: Mbarrier<Ready>, src: GlobalTile<f32, 1024>) {
    cta.async_scope(tile, |cta, tile| {
        let (_bar, tile, _src) = bulk::load(cta, bar, tile, src).wait(cta);
        tile.release().sync(cta)
    });
}
