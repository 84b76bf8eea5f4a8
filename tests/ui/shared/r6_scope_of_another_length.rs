//! A scope is one call: a handle of another is no substitute, whichever of the two ends first.

use ptx::shared::{Loaded, Shared};

pub fn shorten_shared<'short, 'long: 'short>(x: Shared<'long, f32, 64, Loaded>) -> Shared<'short, f32, 64, Loaded> {
    x
}

pub fn lengthen_shared<'short, 'long: 'short>(x: Shared<'short, f32, 64, Loaded>) -> Shared<'long, f32, 64, Loaded> {
    x
}
