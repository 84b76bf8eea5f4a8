//! Each tile of a stage has the size of the box that is loaded into it.

use ptx::cluster::Peers;
use ptx::group::Thread;
use ptx::pipeline::Producer;
use ptx::tensor::{Box1, TensorTile};

type Pair = ([f32; 128], [f32; 128]);
type Tile<const N: usize> = TensorTile<f32, Box1<N>>;

#[cfg(not(fixed))]
pub fn alone<'p>(thread: &Thread<'p>, p: Producer<'p, Pair, 2>, whole: Tile<128>, one: Tile<64>, other: Tile<32>) {
    _ = p.load(thread, (whole, one)).load(thread, (other, whole));
}

#[cfg(fixed)]
pub fn alone<'p>(thread: &Thread<'p>, p: Producer<'p, Pair, 2>, whole: Tile<128>, one: Tile<128>, other: Tile<128>) {
    _ = p.load(thread, (whole, one)).load(thread, (other, whole));
}

#[cfg(not(fixed))]
pub fn together<'p, 'c>(
    thread: &Thread<'p>,
    p: Producer<'p, Pair, 2, Peers<'c, 2>>,
    half: Tile<64>,
    one: Tile<128>,
    other: Tile<32>,
) {
    _ = p.load(thread, (half, one)).load(thread, (other, half));
}

#[cfg(fixed)]
pub fn together<'p, 'c>(
    thread: &Thread<'p>,
    p: Producer<'p, Pair, 2, Peers<'c, 2>>,
    half: Tile<64>,
    one: Tile<64>,
    other: Tile<64>,
) {
    _ = p.load(thread, (half, one)).load(thread, (other, half));
}

#[cfg(not(fixed))]
pub fn each<'p, 'c>(
    thread: &Thread<'p>,
    p: Producer<'p, Pair, 2, (Peers<'c, 2>, Peers<'c, 4>)>,
    (half, quarter): (Tile<64>, Tile<32>),
    (one, other): (Tile<64>, Tile<16>),
) {
    _ = p.load(thread, (half, one)).load(thread, (other, quarter));
}

#[cfg(fixed)]
pub fn each<'p, 'c>(
    thread: &Thread<'p>,
    p: Producer<'p, Pair, 2, (Peers<'c, 2>, Peers<'c, 4>)>,
    (half, quarter): (Tile<64>, Tile<32>),
    (one, other): (Tile<32>, Tile<64>),
) {
    _ = p.load(thread, (half, one)).load(thread, (other, quarter));
}
