//! The tiles of a part have the length of the tiles.

use ptx::global::{EveryTile, Tiles};
use ptx::group::Cta;

#[cfg(not(fixed))]
pub fn of_the_cta(cta: &Cta, tiles: Tiles<f32, 64>) -> EveryTile<f32, 128> {
    tiles.of_cta(cta)
}

#[cfg(fixed)]
pub fn of_the_cta(cta: &Cta, tiles: Tiles<f32, 128>) -> EveryTile<f32, 128> {
    tiles.of_cta(cta)
}

#[cfg(not(fixed))]
pub fn every_second(tiles: Tiles<f32, 64>) -> EveryTile<f32, 128> {
    tiles.every(0, 2)
}

#[cfg(fixed)]
pub fn every_second(tiles: Tiles<f32, 128>) -> EveryTile<f32, 128> {
    tiles.every(0, 2)
}
