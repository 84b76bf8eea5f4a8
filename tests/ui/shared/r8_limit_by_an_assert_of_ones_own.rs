//! A macro named like one of `core` changes nothing in what `shared_memory!` checks.

use ptx::shared::SharedArray;

#[allow(unused_macros)]
macro_rules! assert {
    ($($anything:tt)*) => {};
}

ptx::shared_memory! {
    pub struct Smem { pub tile: SharedArray<f32, 16384> }
}
