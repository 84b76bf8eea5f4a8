//! The group owns the values in registers that its products read.

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
) -> Wgmma<'p> {
    #[cfg(not(fixed))]
    let flight = wgmma.start(warpgroup, sums, values, |sums, values| sums.mma_registers(&weights, values.tiles()));
    #[cfg(not(fixed))]
    let (wgmma, (_sums, values)) = flight.wait(warpgroup);
    #[cfg(fixed)]
    let flight = wgmma.start(warpgroup, sums, (weights, values), |sums, (weights, values)| {
        sums.mma_registers(weights, values.tiles())
    });
    #[cfg(fixed)]
    let (wgmma, (_sums, (_, values))) = flight.wait(warpgroup);
    values.release(warpgroup);
    wgmma
}
