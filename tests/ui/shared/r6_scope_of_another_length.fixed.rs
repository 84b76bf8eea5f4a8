//! A scope ends with its own handles: handles of another scope do not replace them, whichever scope ends first.

use ptx::shared::{Loaded, Shared};

pub fn keep_shared<'s>(x: Shared<'s, f32, 64, Loaded>) -> Shared<'s, f32, 64, Loaded> {
    x
}
