//! Warps without a barrier of their own make no collective calls on handles: they could not wait for each other.

use ptx::group::Warps;
use ptx::pipeline::ConsumersBarrier;
use ptx::shared::{Free, Shared, Written};

#[cfg(fixed)]
type Consumers<'p> = Warps<'p, ConsumersBarrier<1>>;

type Tile<'s, S, G> = Shared<'s, f32, 64, S, G>;

#[cfg(not(fixed))]
pub fn fill<'s, 'p>(warps: &Warps<'p>, tile: Tile<'s, Free, Warps<'p>>) -> Tile<'s, Written, Warps<'p>> {
    tile.write(warps, |i| i as f32)
}

#[cfg(fixed)]
pub fn fill<'s, 'p>(warps: &Consumers<'p>, tile: Tile<'s, Free, Consumers<'p>>) -> Tile<'s, Written, Consumers<'p>> {
    tile.write(warps, |i| i as f32)
}

#[cfg(not(fixed))]
pub fn meet(warps: &Warps) {
    warps.sync();
}

#[cfg(fixed)]
pub fn meet(warps: &Consumers) {
    warps.sync();
}
