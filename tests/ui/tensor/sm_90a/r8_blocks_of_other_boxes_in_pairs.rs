//! Blocks in pairs have the same boxes.

use ptx::tensor::{Box2, TensorBlocksMut, ZippedBlocksMut};

type Blocks<const COLUMNS: u32> = TensorBlocksMut<f32, Box2<64, 64>, COLUMNS, 2>;

#[cfg(not(fixed))]
const COLUMNS: u32 = 2;
#[cfg(fixed)]
const COLUMNS: u32 = 4;

pub fn both(c: Blocks<4>, d: Blocks<COLUMNS>) -> Option<ZippedBlocksMut<f32, Box2<64, 64>, 4, 2>> {
    c.zip(d)
}
