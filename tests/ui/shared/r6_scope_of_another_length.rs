//! A scope ends with its own handles: handles of another scope do not replace them, whichever scope ends first.

use ptx::shared::{Loaded, Shared};

#[cfg(not(fixed))]
pub fn shorten_shared<'short, 'long: 'short>(x: Shared<'long, f32, 64, Loaded>) -> Shared<'short, f32, 64, Loaded> {
    x
}

#[cfg(not(fixed))]
pub fn lengthen_shared<'short, 'long: 'short>(x: Shared<'short, f32, 64, Loaded>) -> Shared<'long, f32, 64, Loaded> {
    x
}

#[cfg(fixed)]
pub fn keep_shared<'s>(x: Shared<'s, f32, 64, Loaded>) -> Shared<'s, f32, 64, Loaded> {
    x
}
