//! A block has boxes.

use ptx::group::Cta;
use ptx::tensor::{Box2, TensorMapMut};

#[cfg(not(fixed))]
const COLUMNS: u32 = 0;
#[cfg(fixed)]
const COLUMNS: u32 = 1;

pub fn kernel(cta: &Cta, map: TensorMapMut<f32, Box2<64, 64>>) {
    let mut blocks = map.blocks::<COLUMNS, 2>(cta, 8);
    _ = (blocks.positions(), blocks.next_block());
}
