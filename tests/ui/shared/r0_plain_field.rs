//! Shared memory is declared as handles: a plain value that all threads share is not possible.

use ptx::shared::SharedArray;

#[cfg(not(fixed))]
ptx::shared_memory! {
    pub struct Smem { pub sums: [f32; 32] }
}

#[cfg(fixed)]
ptx::shared_memory! {
    pub struct Smem { pub sums: SharedArray<f32, 32> }
}
