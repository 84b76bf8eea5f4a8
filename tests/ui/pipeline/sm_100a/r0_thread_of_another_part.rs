//! The thread that multiplies is that of the run.

use ptx::bf16;
use ptx::group::Thread;
use ptx::pipeline::{Consumer, StageOperands};
use ptx::qualifier::swizzle_mode;
use ptx::tcgen05::Tile;
use ptx::tensor::Box2;

type Stage = Tile<bf16, Box2<64, 128, swizzle_mode::B128>>;

pub fn part<'p>(
    #[cfg(not(fixed))] thread: &Thread<'_>,
    #[cfg(fixed)] thread: &Thread<'p>,
    consumer: Consumer<'p, Stage, 4>,
) -> (StageOperands<'p, Stage, 4>, Consumer<'p, Stage, 4>) {
    consumer.operands_of_one(thread)
}
