//! What is full and what is empty is said on two barriers.

use ptx::pipeline::{BarrierPair, PipelineMemory};

ptx::shared_memory! {
    pub struct Smem { pub handoff: PipelineMemory<[u32; 64], 1, BarrierPair<1, 1, 64, 64>> }
}
