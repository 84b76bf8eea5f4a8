//! The sums are stored after the wait.

use ptx::bf16;
use ptx::group::Warpgroup;
use ptx::pipeline::{Consumer, StageOperands};
use ptx::qualifier::{n::N64, swizzle_mode};
use ptx::shared::{Shared, VectorStores};
use ptx::tensor::Box2;
use ptx::wgmma::{Accumulator, Flight, Tile, Wgmma, Zeros};

type Rows<const R: usize> = Box2<64, R, swizzle_mode::B128>;
type Stage = (Tile<bf16, Rows<64>>, Tile<bf16, Rows<64>>);

fn products<'a>(sums: Flight<'a, N64>, stage: &'a StageOperands<'_, Stage, 4>) -> Flight<'a, N64> {
    let (a, b) = stage.tiles();
    sums.mma(a, b)
}

pub fn part<'p>(
    warpgroup: &Warpgroup<'p, 1>,
    wgmma: Wgmma<'p>,
    stage: StageOperands<'p, Stage, 4>,
    to: &Shared<'_, f32, 4096, VectorStores, Warpgroup<'p, 1>>,
) -> Wgmma<'p> {
    let store = |[_, column]: [u32; 2], four| {
        to.set_vector((column / 8 * 128 + warpgroup.thread_rank()) as usize, four);
    };
    let flight = wgmma.start(warpgroup, Zeros::new(), stage, products);
    #[cfg(not(fixed))]
    flight.for_each_four(warpgroup, store);
    #[cfg(not(fixed))]
    let _doubled = flight.map_each_four(warpgroup, |_, four| four.map(|sum| 2.0 * sum));
    let (wgmma, (sums, stage)) = flight.wait(warpgroup);
    #[cfg(fixed)]
    sums.for_each_four(warpgroup, store);
    stage.release(warpgroup);
    wgmma
}
