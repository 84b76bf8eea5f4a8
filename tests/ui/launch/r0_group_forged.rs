//! Only calls of the crate make groups.

use ptx::launch::{Cta, FirstWarp, ThreadGroup, Thread};
use ptx::shared::{Loaded, Shared};

pub struct Mine;

impl ThreadGroup for Mine {}

pub fn a_thread<'s>(tile: Shared<'s, f32, 64, Loaded, Thread<'static>>) {
    _ = tile.release(&Thread {});
}

pub fn a_copy(warp: &FirstWarp<'_>) {
    _ = warp.clone();
    let threads: [Thread<'_>; 0] = [];
    _ = threads.clone();
}

pub fn the_warp_as_the_cta(cta: &Cta, tile: Shared<'_, f32, 64, Loaded>) {
    _ = tile.release(&cta.warp());
}
