//! A group of products holds the tile of an exchange that it reads.

use ptx::bf16;
use ptx::group::Warpgroup;
use ptx::pipeline::ExchangedTile;
use ptx::qualifier::{n::N64, swizzle_mode};
use ptx::tensor::Box2;
use ptx::wgmma::{Packed, Tile, Wgmma, Zeros};

type Shares = Tile<bf16, Box2<64, 64, swizzle_mode::B128>, 1>;

pub fn part<'p>(
    warpgroup: &Warpgroup<'p, 1>,
    wgmma: Wgmma<'p>,
    values: Packed<bf16, N64>,
    shares: ExchangedTile<'p, Shares>,
) -> Wgmma<'p> {
    #[cfg(not(fixed))]
    let flight = wgmma.start(warpgroup, Zeros::<N64>::new(), values, |sums, values| {
        sums.mma_registers(values, shares.tiles())
    });
    #[cfg(fixed)]
    let flight = wgmma.start(warpgroup, Zeros::<N64>::new(), (values, shares), |sums, (values, shares)| {
        sums.mma_registers(values, shares.tiles())
    });
    flight.wait(warpgroup).0
}
