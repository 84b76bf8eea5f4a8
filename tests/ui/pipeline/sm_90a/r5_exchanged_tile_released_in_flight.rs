//! A tile of an exchange is released after the products have read it.

use ptx::bf16;
use ptx::group::Warpgroup;
use ptx::pipeline::{ExchangePart, ExchangedTile};
use ptx::qualifier::{n::N64, swizzle_mode};
use ptx::tensor::Box2;
use ptx::wgmma::{Flight, Packed, Tile, Wgmma, Zeros};

type Shares = Tile<bf16, Box2<64, 64, swizzle_mode::B128>, 1>;
type Held<'p> = (Packed<bf16, N64>, ExchangedTile<'p, Shares>);

fn products<'a>(sums: Flight<'a, N64>, (values, shares): &'a Held<'_>) -> Flight<'a, N64> {
    sums.mma_registers(values, shares.tiles())
}

pub fn part<'p>(warpgroup: &Warpgroup<'p, 1>, wgmma: Wgmma<'p>, held: Held<'p>) -> (Wgmma<'p>, ExchangePart<'p, Shares>) {
    let flight = wgmma.start(warpgroup, Zeros::new(), held, products);
    #[cfg(not(fixed))]
    let part = held.1.release();
    #[cfg(not(fixed))]
    let (wgmma, _) = flight.wait(warpgroup);
    #[cfg(fixed)]
    let (wgmma, (_sums, held)) = flight.wait(warpgroup);
    #[cfg(fixed)]
    let part = held.1.release();
    (wgmma, part)
}
