//! The size of an array does not wrap around to a small one.

use ptx::shared::{Place, SharedArray};

#[cfg(not(fixed))]
pub const BYTES: u32 = <SharedArray<u32, { (1 << 62) + 4 }>>::SIZE;
#[cfg(fixed)]
pub const BYTES: u32 = <SharedArray<u32, 4>>::SIZE;
