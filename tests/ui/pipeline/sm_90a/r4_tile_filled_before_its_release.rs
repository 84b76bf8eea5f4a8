//! A warpgroup fills its part of the next tile after it has released the tile before.

use ptx::bf16;
use ptx::group::Warpgroup;
use ptx::pipeline::{ExchangePart, ExchangedTile};
use ptx::qualifier::{n::N64, swizzle_mode};
use ptx::tensor::Box2;
use ptx::wgmma::{Packed, Tile};

type Rows = Box2<64, 64, swizzle_mode::B128>;
type Shares = Tile<bf16, Rows, 2>;

pub fn share<'p>(
    warpgroup: &Warpgroup<'p, 2>,
    part: ExchangePart<'p, Shares>,
    values: [&Packed<bf16, N64>; 2],
) -> ExchangedTile<'p, Shares> {
    let first = part.fill::<_, 4096>(warpgroup, |to| values[0].store_transposed::<Rows, _, _>(warpgroup, 0, to));
    #[cfg(fixed)]
    let first = first.release();
    first.fill::<_, 4096>(warpgroup, |to| values[1].store_transposed::<Rows, _, _>(warpgroup, 0, to))
}
