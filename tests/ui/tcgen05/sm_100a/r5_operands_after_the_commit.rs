//! Products read a stage before its commit.

use ptx::bf16;
use ptx::group::Thread;
use ptx::pipeline::StageOperands;
use ptx::qualifier::{n::N64, swizzle_mode};
use ptx::tcgen05::{Products, Tile};
use ptx::tensor::Box2;

type Rows<const R: usize> = Box2<64, R, swizzle_mode::B128>;
type Stage = (Tile<bf16, Rows<128>>, Tile<bf16, Rows<64>>);

pub fn part<'p>(
    thread: &Thread<'p>,
    products: Products<'p, N64, 2>,
    stage: StageOperands<'p, Stage, 4>,
) -> Products<'p, N64, 2> {
    let (a, b) = stage.tiles();
    #[cfg(not(fixed))]
    stage.commit(thread);
    let products = products.mma(thread, a, b);
    #[cfg(fixed)]
    stage.commit(thread);
    products
}
