//! A warpgroup waits for the stages of its own run.

use ptx::bf16;
use ptx::group::Warpgroup;
use ptx::pipeline::Consumer;
use ptx::qualifier::swizzle_mode;
use ptx::tensor::Box2;
use ptx::wgmma::Tile;

type Stage = Tile<bf16, Box2<64, 64, swizzle_mode::B128>>;

#[cfg(not(fixed))]
pub fn part<'p, 'q>(warpgroup: &Warpgroup<'q, 1>, consumer: Consumer<'p, Stage, 4>) {
    let (stage, _consumer) = consumer.operands(warpgroup);
    stage.release(warpgroup);
}

#[cfg(fixed)]
pub fn part<'p>(warpgroup: &Warpgroup<'p, 1>, consumer: Consumer<'p, Stage, 4>) {
    let (stage, _consumer) = consumer.operands(warpgroup);
    stage.release(warpgroup);
}
