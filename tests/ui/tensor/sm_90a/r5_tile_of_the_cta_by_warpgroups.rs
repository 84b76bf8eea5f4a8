//! Each warpgroup stores boxes of its own. A box of the CTA would be stored by all of them.

use ptx::group::Warpgroup;
use ptx::tensor::{Box2, StoreRing, TensorBlockMut, TensorTileMut};

type Box = Box2<64, 64>;

#[cfg_attr(fixed, allow(unused_variables))]
pub fn part<'p>(
    warpgroup: &Warpgroup<'p, 2>,
    ring: &mut StoreRing<'_, f32, 8192, 4096, 2, Warpgroup<'p, 2>>,
    tile: TensorTileMut<f32, Box>,
    block: TensorBlockMut<f32, Box, 1, 2>,
) {
    #[cfg(not(fixed))]
    ring.store(warpgroup, tile, |_| ());
    #[cfg(fixed)]
    if let Some(tile) = block.of(warpgroup).next_box() {
        ring.store(warpgroup, tile, |_| ());
    }
}
