//! A user's macro named like one of `core` does not change the checks of `shared_memory!`.

use ptx::shared::SharedArray;

#[allow(unused_macros)]
macro_rules! assert {
    ($($anything:tt)*) => {};
}

#[cfg(not(fixed))]
ptx::shared_memory! {
    pub struct Smem { pub tile: SharedArray<f32, 16384> }
}

#[cfg(fixed)]
ptx::shared_memory! {
    pub struct Smem { pub tile: SharedArray<f32, 4096> }
}
