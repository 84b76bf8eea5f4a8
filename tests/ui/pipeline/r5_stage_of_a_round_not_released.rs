//! Each round gives its stage back: the producer waits for the stage.

use ptx::global::EveryTile;
use ptx::group::Warps;
use ptx::pipeline::{Consumer, Rounds};

type Mine<'p> = Rounds<'p, [f32; 64], 2, (), EveryTile<f32, 64>>;

pub fn sum<'p>(warps: &Warps<'p>, rounds: Mine<'p>) -> (Consumer<'p, [f32; 64], 2>, f32) {
    #[cfg(not(fixed))]
    let summed = rounds.run(warps, 0.0, |tile, sum| {
        let x = tile.get(0).unwrap_or(0.0);
        (tile, sum + x)
    });
    #[cfg(fixed)]
    let summed = rounds.run(warps, 0.0, |tile, sum| {
        let x = tile.get(0).unwrap_or(0.0);
        (tile.release(warps), sum + x)
    });
    summed
}
