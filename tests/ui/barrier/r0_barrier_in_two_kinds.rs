//! `barrier.cta.red` and `.sync` never share a barrier: each kind has its own numbers.

use ptx::barrier::{NamedBarrier, Popc, ReductionBarrier};

#[cfg(not(fixed))]
ptx::shared_memory! {
    pub struct Smem { pub half: NamedBarrier<3, 64>, pub votes: ReductionBarrier<3, 64, Popc> }
}

#[cfg(fixed)]
ptx::shared_memory! {
    pub struct Smem { pub half: NamedBarrier<3, 64>, pub votes: ReductionBarrier<4, 64, Popc> }
}
