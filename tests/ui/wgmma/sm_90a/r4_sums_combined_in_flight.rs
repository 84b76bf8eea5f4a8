//! Sums are combined, settled and overwritten at rest.

use ptx::bf16;
use ptx::group::Warpgroup;
use ptx::pipeline::StageOperands;
use ptx::qualifier::{n::N64, swizzle_mode};
use ptx::tensor::Box2;
use ptx::wgmma::{Accumulator, Overwrite, Packed, Tile, Wgmma};

type Values = Tile<bf16, Box2<64, 64, swizzle_mode::B128>>;

pub fn part<'p>(
    warpgroup: &Warpgroup<'p, 1>,
    wgmma: Wgmma<'p>,
    [sums, others]: [Accumulator<N64>; 2],
    weights: Packed<bf16, N64>,
    values: StageOperands<'p, Values, 4>,
) -> (Wgmma<'p>, Overwrite<N64>) {
    let flight = wgmma.start(warpgroup, sums, (weights, values), |sums, (weights, values)| {
        let sums = sums.mma_registers(weights, values.tiles());
        #[cfg(not(fixed))]
        let _products = sums.zip(&others, |x, y| x * y);
        #[cfg(not(fixed))]
        let _settled = sums.in_registers();
        #[cfg(not(fixed))]
        let _overwritten = sums.overwrite();
        sums
    });
    let (wgmma, (sums, (_, values))) = flight.wait(warpgroup);
    values.release(warpgroup);
    (wgmma, sums.zip(&others, |x, y| x * y).in_registers().overwrite())
}
