//! The number of elements of a box, of a column, and of gathered rows does not wrap around.

use ptx::tensor::{Box2, Box5, Gather4, Im2col4, Scatter4};

#[cfg(not(fixed))]
pub const BOX: usize = Box2::<{ 1 << 32 }, { 1 << 32 }>::LEN;
#[cfg(fixed)]
pub const BOX: usize = Box2::<16, 16>::LEN;
#[cfg(not(fixed))]
pub const LONG_BOX: usize = Box5::<16, { 1 << 16 }, { 1 << 16 }, { 1 << 16 }, { 1 << 16 }>::LEN;
#[cfg(fixed)]
pub const LONG_BOX: usize = Box5::<16, 2, 2, 2, 2>::LEN;
#[cfg(not(fixed))]
pub const COLUMN: usize = Im2col4::<{ 1 << 32 }, { 1 << 32 }>::LEN;
#[cfg(fixed)]
pub const COLUMN: usize = Im2col4::<16, 16>::LEN;
#[cfg(not(fixed))]
pub const GATHERED: usize = Gather4::<{ 1 << 62 }>::LEN;
#[cfg(fixed)]
pub const GATHERED: usize = Gather4::<16>::LEN;
#[cfg(not(fixed))]
pub const SCATTERED: usize = Scatter4::<{ 1 << 62 }>::LEN;
#[cfg(fixed)]
pub const SCATTERED: usize = Scatter4::<16>::LEN;
