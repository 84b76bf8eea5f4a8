//! The number of vectors does not wrap around.

use ptx::group::Cta;
use ptx::shared::{Free, Shared, Written};

#[cfg(not(fixed))]
const N: usize = (1 << 62) + 4;
#[cfg(fixed)]
const N: usize = 64;

pub fn written<'s>(cta: &Cta, tile: Shared<'s, u32, N, Free>) -> Shared<'s, u32, N, Written> {
    tile.write(cta, |i| i as u32)
}
