//! A wait is for products that have been started.

use ptx::bf16;
use ptx::group::Warpgroup;
use ptx::pipeline::{Consumer, StageOperands};
use ptx::qualifier::{n::N64, swizzle_mode};
use ptx::tensor::Box2;
use ptx::wgmma::{Accumulator, Flight, Tile, Wgmma, Zeros};

type Rows<const R: usize> = Box2<64, R, swizzle_mode::B128>;
type Stage = (Tile<bf16, Rows<64>>, Tile<bf16, Rows<64>>);

fn products<'a>(sums: Flight<'a, N64>, stage: &'a StageOperands<'_, Stage, 4>) -> Flight<'a, N64> {
    let (a, b) = stage.tiles();
    sums.mma(a, b)
}

pub fn part<'p>(warpgroup: &Warpgroup<'p, 1>, wgmma: Wgmma<'p>, stage: StageOperands<'p, Stage, 4>) -> Wgmma<'p> {
    #[cfg(fixed)]
    let wgmma = wgmma.start(warpgroup, Zeros::new(), stage, products);
    let (wgmma, (_sums, stage)) = wgmma.wait(warpgroup);
    stage.release(warpgroup);
    wgmma
}
