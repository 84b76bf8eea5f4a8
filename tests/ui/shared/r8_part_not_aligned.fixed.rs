//! The first part has a multiple of 128 bytes.

use ptx::shared::{Free, Shared};

pub fn halves<'s>(tile: Shared<'s, f32, 48, Free>) -> (Shared<'s, f32, 32, Free>, Shared<'s, f32, 16, Free>) {
    tile.split()
}
