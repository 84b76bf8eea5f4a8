//! The parts together have exactly the length of the array.

use ptx::shared::{Free, Shared};

#[cfg(not(fixed))]
pub fn halves<'s>(tile: Shared<'s, f32, 64, Free>) -> (Shared<'s, f32, 32, Free>, Shared<'s, f32, 64, Free>) {
    tile.split()
}

#[cfg(fixed)]
pub fn halves<'s>(tile: Shared<'s, f32, 64, Free>) -> (Shared<'s, f32, 32, Free>, Shared<'s, f32, 32, Free>) {
    tile.split()
}
