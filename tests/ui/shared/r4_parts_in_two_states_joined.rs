//! A handle has one state for the whole array: a written part and a free part cannot be joined.

use ptx::launch::{Cta, trap};
use ptx::shared::{Free, Shared, Written};

pub fn half_written<'s>(cta: &Cta, tile: Shared<'s, u32, 64, Free>) -> Shared<'s, u32, 64, Written> {
    let (first, second) = tile.split::<32, 32>();
    #[cfg(not(fixed))]
    let Ok(tile) = first.write(cta, |i| i as u32).join(second) else { trap() };
    #[cfg(fixed)]
    let Ok(tile) = first.write(cta, |i| i as u32).join(second.write(cta, |_| 0)) else { trap() };
    tile
}
