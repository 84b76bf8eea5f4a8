//! The type of a stage says how its operands are laid out.

use ptx::bf16;
use ptx::group::Warpgroup;
use ptx::pipeline::Consumer;
use ptx::qualifier::swizzle_mode;
use ptx::tensor::Box2;
use ptx::wgmma::Tile;

#[cfg(not(fixed))]
type Stage = [bf16; 4096];
#[cfg(fixed)]
type Stage = Tile<bf16, Box2<64, 64, swizzle_mode::B128>>;

pub fn part<'p>(warpgroup: &Warpgroup<'p, 1>, consumer: Consumer<'p, Stage, 4>) {
    let (stage, _consumer) = consumer.operands(warpgroup);
    stage.release(warpgroup);
}
