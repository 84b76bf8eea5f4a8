//! A `BarrierPair` signals full and empty at two different barriers.

use ptx::pipeline::{BarrierPair, PipelineMemory};

ptx::shared_memory! {
    pub struct Smem { pub handoff: PipelineMemory<[u32; 64], 1, BarrierPair<1, 2, 64, 64>> }
}
