//! A `BarrierPair` signals full and empty at two different barriers.

use ptx::pipeline::{BarrierPair, PipelineMemory};

#[cfg(not(fixed))]
ptx::shared_memory! {
    pub struct Smem { pub handoff: PipelineMemory<[u32; 64], 1, BarrierPair<1, 1, 64, 64>> }
}

#[cfg(fixed)]
ptx::shared_memory! {
    pub struct Smem { pub handoff: PipelineMemory<[u32; 64], 1, BarrierPair<1, 2, 64, 64>> }
}
