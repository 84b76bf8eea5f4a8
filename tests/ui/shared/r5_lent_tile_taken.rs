//! A handle lends its tile for reading, and stays responsible for the tile.

use core::mem::swap;

use ptx::cluster::{ByTile, Cluster, Inbox, Received};
use ptx::group::Cta;
use ptx::pipeline::StageTile;
use ptx::shared::{Free, Loaded, Shared};

/// A tile of any handle.
#[cfg(fixed)]
fn first(tile: &Shared<'_, u32, 128, Loaded>) -> Option<u32> {
    tile.get(0)
}

#[cfg(not(fixed))]
pub fn received<'c>(cta: &Cta, tile: &Received<'c, u32, 128, ByTile, ()>) -> Shared<'c, u32, 128, Free> {
    let taken: Shared<'c, u32, 128, Loaded> = **tile;
    taken.release().sync(cta)
}

#[cfg(fixed)]
pub fn received<'c>(
    cluster: &Cluster<'c>,
    tile: Received<'c, u32, 128, ByTile, ()>,
) -> (Option<u32>, Inbox<'c, u32, 128, ByTile>) {
    let first = first(&tile);
    (first, tile.release().sync(cluster).0)
}

#[cfg(not(fixed))]
pub fn of_a_stage<'a>(cta: &Cta, tile: StageTile<'a, u32, 128>) -> Shared<'a, u32, 128, Free> {
    tile.release().sync(cta)
}

#[cfg(fixed)]
pub fn of_a_stage(tile: StageTile<'_, u32, 128>) -> Option<u32> {
    first(&tile)
}

pub fn exchanged<'c>(a: &mut Received<'c, u32, 128, ByTile, ()>, b: &mut Received<'c, u32, 128, ByTile, ()>) {
    #[cfg(not(fixed))]
    {
        swap(&mut **a, &mut **b)
    }
    #[cfg(fixed)]
    {
        swap(a, b)
    }
}
