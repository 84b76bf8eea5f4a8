//! Arrays in shared memory are aligned to 128 bytes, and so are their parts.

use ptx::shared::{Free, Shared};

#[cfg(not(fixed))]
pub fn halves<'s>(tile: Shared<'s, f32, 48, Free>) -> (Shared<'s, f32, 16, Free>, Shared<'s, f32, 32, Free>) {
    tile.split()
}

#[cfg(fixed)]
pub fn halves<'s>(tile: Shared<'s, f32, 48, Free>) -> (Shared<'s, f32, 32, Free>, Shared<'s, f32, 16, Free>) {
    tile.split()
}
