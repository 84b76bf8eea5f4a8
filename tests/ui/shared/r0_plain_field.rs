//! Shared memory is declared as handles: a plain value that all threads share is not possible.

ptx::shared_memory! {
    pub struct Smem { pub sums: [f32; 32] }
}
