//! Fields whose sizes add up to 2^32 or more are refused: their offsets would wrap around.

use ptx::pipeline::PipelineMemory;
use ptx::shared::SharedArray;

#[cfg(not(fixed))]
ptx::shared_memory! {
    pub struct Smem { pub first: SharedArray<u32, 64>, pub pipeline: PipelineMemory<[u8; 1048448], 4096>, pub last: SharedArray<u32, 64> }
}

#[cfg(fixed)]
ptx::shared_memory! {
    pub struct Smem { pub first: SharedArray<u32, 64>, pub pipeline: PipelineMemory<[u8; 1024], 4>, pub last: SharedArray<u32, 64> }
}
