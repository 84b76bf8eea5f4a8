//! The size of an array does not wrap around to a small one.

use ptx::shared::{Place, SharedArray};

pub const BYTES: u32 = <SharedArray<u32, 4>>::SIZE;
