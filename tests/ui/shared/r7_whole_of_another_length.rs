//! A joined array has the length of its two parts together.

use ptx::launch::trap;
use ptx::shared::{Free, Shared};

#[cfg(not(fixed))]
pub fn whole<'s>(first: Shared<'s, f32, 32, Free>, second: Shared<'s, f32, 32, Free>) -> Shared<'s, f32, 128, Free> {
    let Ok(tile) = first.join(second) else { trap() };
    tile
}

#[cfg(fixed)]
pub fn whole<'s>(first: Shared<'s, f32, 32, Free>, second: Shared<'s, f32, 32, Free>) -> Shared<'s, f32, 64, Free> {
    let Ok(tile) = first.join(second) else { trap() };
    tile
}
