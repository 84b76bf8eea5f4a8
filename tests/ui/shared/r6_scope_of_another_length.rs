//! A scope ends with its own handles: handles of another scope do not replace them, whichever scope ends first.

use ptx::shared::{Loaded, Shared};

pub fn shorten_shared<'short, 'long: 'short>(x: Shared<'long, f32, 64, Loaded>) -> Shared<'short, f32, 64, Loaded> {
    x
}

pub fn lengthen_shared<'short, 'long: 'short>(x: Shared<'short, f32, 64, Loaded>) -> Shared<'long, f32, 64, Loaded> {
    x
}
