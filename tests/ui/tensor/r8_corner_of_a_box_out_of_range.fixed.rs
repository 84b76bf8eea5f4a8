//! The corner of a box is made where its coordinates are known to be in range, or checked.

use ptx::tensor::{Corner};

pub fn corner(index: u32) -> Option<Corner<1>> {
    Corner::new([i32::try_from(index.checked_mul(32)?).ok()?])
}
