//! A tile that warpgroups exchange has a panel for each of them.

use ptx::bf16;
use ptx::group::Warpgroup;
use ptx::pipeline::{ExchangePart, ExchangedTile};
use ptx::qualifier::{n::N64, swizzle_mode};
use ptx::tensor::Box2;
use ptx::wgmma::{Packed, Tile};

type Rows = Box2<64, 64, swizzle_mode::B128>;

#[cfg(not(fixed))]
const PANELS: usize = 1;
#[cfg(fixed)]
const PANELS: usize = 2;

pub fn share<'p>(
    warpgroup: &Warpgroup<'p, 2>,
    part: ExchangePart<'p, Tile<bf16, Rows, PANELS>>,
    values: &Packed<bf16, N64>,
) -> ExchangedTile<'p, Tile<bf16, Rows, PANELS>> {
    part.fill::<_, 4096>(warpgroup, |to| values.store_transposed::<Rows, _, _>(warpgroup, 0, to))
}
