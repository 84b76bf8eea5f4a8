//! A map has the boxes of the tile.

use ptx::bf16;
use ptx::group::Thread;
use ptx::pipeline::Producer;
use ptx::qualifier::swizzle_mode;
use ptx::tensor::{Box2, TensorMap};
use ptx::wgmma::Tile;

#[cfg(not(fixed))]
type Rows = Box2<64, 128, swizzle_mode::B128>;
#[cfg(fixed)]
type Rows = Box2<64, 64, swizzle_mode::B128>;

pub fn part<'p>(
    thread: &Thread<'p>,
    producer: Producer<'p, Tile<bf16, Box2<64, 64, swizzle_mode::B128>>, 4>,
    map: TensorMap<bf16, Rows>,
) -> Producer<'p, Tile<bf16, Box2<64, 64, swizzle_mode::B128>>, 4> {
    producer.load(thread, map.box_at([0, 0]))
}
