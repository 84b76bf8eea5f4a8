//! Only calls of the crate make groups.

use ptx::group::{Cta, FirstWarp, Thread, ThreadGroup};
use ptx::shared::{Loaded, Shared};

#[cfg(not(fixed))]
pub struct Mine;

#[cfg(not(fixed))]
impl ThreadGroup for Mine {}

#[cfg(fixed)]
pub fn mine<G: ThreadGroup>(group: &G, tile: Shared<'_, f32, 64, Loaded, G>) {
    _ = tile.release().sync(group);
}

#[cfg(not(fixed))]
pub fn a_thread<'s>(tile: Shared<'s, f32, 64, Loaded, Thread<'static>>) {
    _ = tile.release().sync(&Thread {});
}

#[cfg(fixed)]
pub fn a_thread<'s, 't>(thread: &Thread<'t>, tile: Shared<'s, f32, 64, Loaded, Thread<'t>>) {
    _ = tile.release().sync(thread);
}

#[cfg(not(fixed))]
pub fn a_copy(warp: &FirstWarp<'_>) {
    _ = warp.clone();
    let threads: [Thread<'_>; 0] = [];
    _ = threads.clone();
}

#[cfg(not(fixed))]
pub fn the_warp_as_the_cta(cta: &Cta, tile: Shared<'_, f32, 64, Loaded>) {
    _ = tile.release().sync(&cta.warp());
}

#[cfg(fixed)]
pub fn a_warp(warp: &FirstWarp<'_>) {
    _ = warp.warp().ballot(true);
}

#[cfg(fixed)]
pub fn the_cta(cta: &Cta, tile: Shared<'_, f32, 64, Loaded>) {
    _ = tile.release().sync(cta);
}
