//! A handle lends its tile for reading, and stays responsible for the tile.

use core::mem::swap;
use ptx::cluster::{ByTile, Cluster, Inbox, Received};
use ptx::pipeline::StageTile;
use ptx::shared::{Loaded, Shared};

/// A tile of any handle.
fn first(tile: &Shared<'_, u32, 128, Loaded>) -> Option<u32> {
    tile.get(0)
}

pub fn received<'c>(cluster: &Cluster<'c>, tile: Received<'c, u32, 128, ByTile, ()>) -> (Option<u32>, Inbox<'c, u32, 128, ByTile>) {
    let first = first(&tile);
    (first, tile.release(cluster).0)
}

pub fn of_a_stage(tile: StageTile<'_, u32, 128>) -> Option<u32> {
    first(&tile)
}

pub fn exchanged<'c>(a: &mut Received<'c, u32, 128, ByTile, ()>, b: &mut Received<'c, u32, 128, ByTile, ()>) {
    swap(a, b)
}
