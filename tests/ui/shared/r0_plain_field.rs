//! Shared memory is declared by handles: there is no place for a bare value that all threads would share.

ptx::shared_memory! {
    pub struct Smem { pub sums: [f32; 32] }
}
