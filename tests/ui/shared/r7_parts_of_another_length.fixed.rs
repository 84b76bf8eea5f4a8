//! The parts together have the length of the array.

use ptx::shared::{Free, Shared};

pub fn halves<'s>(tile: Shared<'s, f32, 64, Free>) -> (Shared<'s, f32, 32, Free>, Shared<'s, f32, 32, Free>) {
    tile.split()
}
