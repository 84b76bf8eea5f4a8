//! The type of a stage says how its operands are laid out.

use ptx::bf16;
use ptx::pipeline::StageOperands;
use ptx::qualifier::{n::N64, swizzle_mode};
use ptx::tensor::Box2;
use ptx::wgmma::{Flight, Tile};

#[cfg(not(fixed))]
type Rows = [bf16; 4096];
#[cfg(fixed)]
type Rows = Tile<bf16, Box2<64, 64, swizzle_mode::B128>>;

pub fn products<'a>(sums: Flight<'a, N64>, stage: &'a StageOperands<'_, (Rows, Rows), 4>) -> Flight<'a, N64> {
    let (a, b) = stage.tiles();
    sums.mma(a, b)
}
