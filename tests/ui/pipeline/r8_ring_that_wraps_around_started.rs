//! A ring whose size is out of range is not started: the bytes of its stages do not wrap around.

use ptx::global::{Tiles, TilesMut};
use ptx::group::Cta;
use ptx::pipeline::{IdleRing, Ring};

#[cfg(not(fixed))]
const N: usize = (1 << 62) + 4;
#[cfg(fixed)]
const N: usize = 4;

pub fn start<'s>(cta: &Cta, ring: IdleRing<'s, [u32; N], 2>, x: Tiles<u32, N>, y: TilesMut<u32, N>) -> Ring<'s, [u32; N], 2> {
    ring.start(cta, [x], y)
}
