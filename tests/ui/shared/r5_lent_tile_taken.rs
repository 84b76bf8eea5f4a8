//! A handle lends its tile for reading, and stays responsible for the tile.

use core::mem::swap;
use ptx::cluster::{ByTile, Received};
use ptx::launch::Cta;
use ptx::pipeline::StageTile;
use ptx::shared::{Free, Loaded, Shared};

pub fn received<'c>(cta: &Cta, tile: &Received<'c, u32, 128, ByTile, ()>) -> Shared<'c, u32, 128, Free> {
    let taken: Shared<'c, u32, 128, Loaded> = **tile;
    taken.release(cta)
}

pub fn of_a_stage<'a>(cta: &Cta, tile: StageTile<'a, u32, 128>) -> Shared<'a, u32, 128, Free> {
    tile.release(cta)
}

pub fn exchanged<'c>(a: &mut Received<'c, u32, 128, ByTile, ()>, b: &mut Received<'c, u32, 128, ByTile, ()>) {
    swap(&mut **a, &mut **b)
}
