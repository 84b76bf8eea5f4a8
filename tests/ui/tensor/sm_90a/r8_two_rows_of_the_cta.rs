//! The boxes of a block that the whole CTA stores are one row.

use ptx::group::Cta;
use ptx::tensor::{Box2, TensorBlockMut};

#[cfg(not(fixed))]
const ROWS: u32 = 2;
#[cfg(fixed)]
const ROWS: u32 = 1;

pub fn part(cta: &Cta, block: TensorBlockMut<f32, Box2<64, 64>, 1, ROWS>) {
    let mut row = block.of_cta(cta);
    _ = row.next_box();
}
