//! A block has a row of boxes for each warpgroup.

use ptx::group::Warpgroup;
use ptx::tensor::{Box2, TensorBlockMut};

#[cfg(not(fixed))]
const ROWS: u32 = 4;
#[cfg(fixed)]
const ROWS: u32 = 2;

pub fn part(warpgroup: &Warpgroup<'_, 2>, block: TensorBlockMut<f32, Box2<64, 64>, 1, ROWS>) {
    let mut row = block.of(warpgroup);
    _ = row.next_box();
}
