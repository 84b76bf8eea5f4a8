//! What is full and what is empty is said on two barriers.

use ptx::pipeline::{Handoff, PipelineMemory};

ptx::shared_memory! {
    pub struct Smem { pub handoff: PipelineMemory<[u32; 64], 1, Handoff<1, 1, 64, 64>> }
}
