//! A barrier has at least one warp, and at most the threads of a CTA.

use ptx::barrier::NamedBarrier;
use ptx::pipeline::{BarrierPair, PipelineMemory};

#[cfg(not(fixed))]
ptx::shared_memory! {
    pub struct None { pub nobody: NamedBarrier<1, 0> }
}

#[cfg(fixed)]
ptx::shared_memory! {
    pub struct None { pub nobody: NamedBarrier<1, 32> }
}

#[cfg(not(fixed))]
ptx::shared_memory! {
    pub struct Many { pub all: NamedBarrier<1, 1056> }
}

#[cfg(fixed)]
ptx::shared_memory! {
    pub struct Many { pub all: NamedBarrier<1, 1024> }
}

#[cfg(not(fixed))]
ptx::shared_memory! {
    pub struct Sum { pub parties: PipelineMemory<[u32; 64], 1, BarrierPair<1, 2, 512, 544>> }
}

#[cfg(fixed)]
ptx::shared_memory! {
    pub struct Sum { pub parties: PipelineMemory<[u32; 64], 1, BarrierPair<1, 2, 512, 512>> }
}
