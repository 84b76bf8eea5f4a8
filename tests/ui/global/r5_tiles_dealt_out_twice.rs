//! One handle deals out the tiles of a slice: each tile has one owner.

use ptx::global::{GlobalTileMut, TilesMut};

pub fn kernel(mut tiles: TilesMut<f32, 64>) -> Option<[GlobalTileMut<f32, 64>; 2]> {
    #[cfg(not(fixed))]
    let mut again = tiles;
    #[cfg(not(fixed))]
    let (_, one) = again.next_tile()?;
    #[cfg(fixed)]
    let (_, one) = tiles.next_tile()?;
    let (_, other) = tiles.next_tile()?;
    Some([one, other])
}
