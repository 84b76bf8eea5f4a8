//! A `BarrierPair` has both its barriers for itself.

use ptx::barrier::NamedBarrier;
use ptx::pipeline::{BarrierPair, PipelineMemory};

#[cfg(not(fixed))]
ptx::shared_memory! {
    pub struct Smem { pub parties: PipelineMemory<[u32; 64], 1, BarrierPair<1, 2, 64, 64>>, pub other: NamedBarrier<2, 64> }
}

#[cfg(fixed)]
ptx::shared_memory! {
    pub struct Smem { pub parties: PipelineMemory<[u32; 64], 1, BarrierPair<1, 2, 64, 64>>, pub other: NamedBarrier<3, 64> }
}
