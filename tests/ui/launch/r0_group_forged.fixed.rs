//! Only calls of the crate make groups.

use ptx::launch::{Cta, FirstWarp, ThreadGroup, Thread};
use ptx::shared::{Loaded, Shared};

pub fn mine<G: ThreadGroup>(group: &G, tile: Shared<'_, f32, 64, Loaded, G>) {
    _ = tile.release(group);
}

pub fn a_thread<'s, 't>(thread: &Thread<'t>, tile: Shared<'s, f32, 64, Loaded, Thread<'t>>) {
    _ = tile.release(thread);
}

pub fn a_warp(warp: &FirstWarp<'_>) {
    _ = warp.warp().ballot(true);
}

pub fn the_cta(cta: &Cta, tile: Shared<'_, f32, 64, Loaded>) {
    _ = tile.release(cta);
}
