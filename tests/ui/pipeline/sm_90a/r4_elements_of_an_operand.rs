//! Threads read the tiles of a stage that are arrays, and products the others.

use ptx::bf16;
use ptx::pipeline::StageOperands;
use ptx::qualifier::swizzle_mode;
use ptx::tensor::Box2;
use ptx::wgmma::Tile;

type Stage = (Tile<bf16, Box2<64, 64, swizzle_mode::B128>>, [f32; 64]);

pub fn first(stage: &StageOperands<'_, Stage, 4>) -> Option<f32> {
    let tiles = stage.tiles();
    #[cfg(not(fixed))]
    return tiles.0.get(0);
    #[cfg(fixed)]
    return tiles.1.get(0);
}
