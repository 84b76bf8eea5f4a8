//! The number of elements of a column and its halo does not wrap around.

use ptx::tensor::{Im2colW3, Im2colW128x3};

#[cfg(not(fixed))]
pub const COLUMN: usize = Im2colW3::<16, 64, { usize::MAX }>::LEN;
#[cfg(fixed)]
pub const COLUMN: usize = Im2colW3::<16, 64, 2>::LEN;
#[cfg(not(fixed))]
pub const COLUMN_OF_128: usize = Im2colW128x3::<16, { usize::MAX }>::LEN;
#[cfg(fixed)]
pub const COLUMN_OF_128: usize = Im2colW128x3::<16, 2>::LEN;
#[cfg(not(fixed))]
pub const COLUMNS: usize = Im2colW128x3::<16, { 1 << 62 }>::LEN;
#[cfg(fixed)]
pub const COLUMNS: usize = Im2colW128x3::<16, 2>::LEN;
