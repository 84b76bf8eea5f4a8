//! Shared memory is declared by handles: there is no place for a bare value that all threads would share.

use ptx::shared::SharedArray;

ptx::shared_memory! {
    pub struct Smem { pub sums: SharedArray<f32, 32> }
}
