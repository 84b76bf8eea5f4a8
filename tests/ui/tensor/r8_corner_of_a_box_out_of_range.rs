//! The corner of a box is made where its coordinates are known to be in range, or checked.

use ptx::tensor::{Box1, BoxShape, Corner};

pub fn corner(index: u32) -> Option<Corner<1>> {
    Some(Box1::<32>::corner([index]))
}
