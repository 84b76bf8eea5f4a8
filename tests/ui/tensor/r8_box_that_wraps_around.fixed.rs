//! The number of elements of a box, of a column, and of gathered rows does not wrap around.

use ptx::tensor::{Box2, Box5, Gather4, Im2col4, Scatter4};

pub const BOX: usize = Box2::<16, 16>::LEN;
pub const LONG_BOX: usize = Box5::<16, 2, 2, 2, 2>::LEN;
pub const COLUMN: usize = Im2col4::<16, 16>::LEN;
pub const GATHERED: usize = Gather4::<16>::LEN;
pub const SCATTERED: usize = Scatter4::<16>::LEN;
