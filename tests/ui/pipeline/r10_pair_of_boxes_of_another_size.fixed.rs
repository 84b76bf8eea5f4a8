//! Each tile of a stage is as large as the boxes that are loaded into it.

use ptx::cluster::Group;
use ptx::pipeline::Producer;
use ptx::tensor::{Box1, TensorTile};

type Pair = ([f32; 128], [f32; 128]);
type Tile<const N: usize> = TensorTile<f32, Box1<N>>;

pub fn alone(p: Producer<'_, Pair, 2>, whole: Tile<128>, one: Tile<128>, other: Tile<128>) {
    _ = p.load((whole, one)).load((other, whole));
}

pub fn together<'c>(p: Producer<'_, Pair, 2, Group<'c, 2>>, half: Tile<64>, one: Tile<64>, other: Tile<64>) {
    _ = p.load((half, one)).load((other, half));
}

pub fn each<'c>(
    p: Producer<'_, Pair, 2, (Group<'c, 2>, Group<'c, 4>)>,
    (half, quarter): (Tile<64>, Tile<32>),
    (one, other): (Tile<32>, Tile<64>),
) {
    _ = p.load((half, one)).load((other, quarter));
}
