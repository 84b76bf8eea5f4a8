//! Shared memory is declared as handles: a plain value that all threads share is not possible.

use ptx::shared::SharedArray;

ptx::shared_memory! {
    pub struct Smem { pub sums: SharedArray<f32, 32> }
}
