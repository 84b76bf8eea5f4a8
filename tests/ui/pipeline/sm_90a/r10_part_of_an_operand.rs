//! Each CTA of a group loads its part of an operand: in a group of two, half of the rows.

use ptx::bf16;
use ptx::cluster::Peers;
use ptx::group::Thread;
use ptx::pipeline::Producer;
use ptx::qualifier::swizzle_mode;
use ptx::tensor::{Box2, TensorMap};
use ptx::wgmma::Tile;

#[cfg(not(fixed))]
type Part = Box2<64, 128, swizzle_mode::B128>;
#[cfg(fixed)]
type Part = Box2<64, 64, swizzle_mode::B128>;

pub fn part<'p>(
    thread: &Thread<'p>,
    producer: Producer<'p, Tile<bf16, Box2<64, 128, swizzle_mode::B128>>, 4, Peers<'p, 2>>,
    map: TensorMap<bf16, Part>,
) -> Producer<'p, Tile<bf16, Box2<64, 128, swizzle_mode::B128>>, 4, Peers<'p, 2>> {
    producer.load(thread, map.box_at([0, 0]))
}
