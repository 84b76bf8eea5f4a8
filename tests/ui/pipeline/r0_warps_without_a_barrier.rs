//! Warps without a barrier of their own make no collective calls on handles: they could not wait for each other.

use ptx::launch::Warps;
use ptx::shared::{Free, Shared, Written};

type Tile<'s, S, G> = Shared<'s, f32, 64, S, G>;

pub fn fill<'s, 'p>(warps: &Warps<'p>, tile: Tile<'s, Free, Warps<'p>>) -> Tile<'s, Written, Warps<'p>> {
    tile.write(warps, |i| i as f32)
}

pub fn meet(warps: &Warps) {
    warps.sync();
}
