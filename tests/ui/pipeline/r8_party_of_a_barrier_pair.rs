//! Each side of a `BarrierPair` consists of whole warps.

use ptx::pipeline::{BarrierPair, PipelineMemory};

#[cfg(not(fixed))]
ptx::shared_memory! {
    pub struct Producers { pub parties: PipelineMemory<[u32; 64], 1, BarrierPair<1, 2, 48, 80>> }
}

#[cfg(fixed)]
ptx::shared_memory! {
    pub struct Producers { pub parties: PipelineMemory<[u32; 64], 1, BarrierPair<1, 2, 64, 64>> }
}

#[cfg(not(fixed))]
ptx::shared_memory! {
    pub struct Consumers { pub parties: PipelineMemory<[u32; 64], 1, BarrierPair<1, 2, 64, 0>> }
}

#[cfg(fixed)]
ptx::shared_memory! {
    pub struct Consumers { pub parties: PipelineMemory<[u32; 64], 1, BarrierPair<1, 2, 64, 32>> }
}

#[cfg(not(fixed))]
ptx::shared_memory! {
    pub struct Full { pub parties: PipelineMemory<[u32; 64], 1, BarrierPair<0, 2, 64, 64>> }
}

#[cfg(fixed)]
ptx::shared_memory! {
    pub struct Full { pub parties: PipelineMemory<[u32; 64], 1, BarrierPair<3, 2, 64, 64>> }
}

#[cfg(not(fixed))]
ptx::shared_memory! {
    pub struct Empty { pub parties: PipelineMemory<[u32; 64], 1, BarrierPair<1, 16, 64, 64>> }
}

#[cfg(fixed)]
ptx::shared_memory! {
    pub struct Empty { pub parties: PipelineMemory<[u32; 64], 1, BarrierPair<1, 15, 64, 64>> }
}
