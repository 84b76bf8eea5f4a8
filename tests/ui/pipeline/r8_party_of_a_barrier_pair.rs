//! Each side of a `BarrierPair` consists of whole warps.

use ptx::pipeline::{BarrierPair, PipelineMemory};

ptx::shared_memory! {
    pub struct Producers { pub parties: PipelineMemory<[u32; 64], 1, BarrierPair<1, 2, 48, 80>> }
}

ptx::shared_memory! {
    pub struct Consumers { pub parties: PipelineMemory<[u32; 64], 1, BarrierPair<1, 2, 64, 0>> }
}

ptx::shared_memory! {
    pub struct Full { pub parties: PipelineMemory<[u32; 64], 1, BarrierPair<0, 2, 64, 64>> }
}

ptx::shared_memory! {
    pub struct Empty { pub parties: PipelineMemory<[u32; 64], 1, BarrierPair<1, 16, 64, 64>> }
}
