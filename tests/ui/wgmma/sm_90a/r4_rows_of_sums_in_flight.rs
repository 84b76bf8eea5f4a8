//! The rows are reduced after the wait.

use ptx::bf16;
use ptx::group::Warpgroup;
use ptx::pipeline::StageOperands;
use ptx::qualifier::{n::N64, swizzle_mode};
use ptx::tensor::Box2;
use ptx::wgmma::{Accumulator, Packed, PerRow, Tile, Wgmma};

type Values = Tile<bf16, Box2<64, 64, swizzle_mode::B128>>;

pub fn part<'p>(
    warpgroup: &Warpgroup<'p, 1>,
    wgmma: Wgmma<'p>,
    sums: Accumulator<N64>,
    weights: Packed<bf16, N64>,
    values: StageOperands<'p, Values, 4>,
) -> (Wgmma<'p>, PerRow<f32>) {
    let flight = wgmma.start(warpgroup, sums, (weights, values), |sums, (weights, values)| {
        let sums = sums.mma_registers(weights, values.tiles());
        #[cfg(not(fixed))]
        let _largest = sums.fold_rows(f32::max);
        #[cfg(not(fixed))]
        let _scaled = sums.map_rows(PerRow::new(2.0), |sum, factor| sum * factor);
        #[cfg(not(fixed))]
        let _lower = sums.map_at(warpgroup, |[row, column], sum| if row < column { 0.0 } else { sum });
        sums
    });
    let (wgmma, (sums, (_, values))) = flight.wait(warpgroup);
    values.release(warpgroup);
    (wgmma, sums.fold_rows(f32::max))
}
