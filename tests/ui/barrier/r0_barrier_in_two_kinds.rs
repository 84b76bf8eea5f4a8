//! On one barrier `barrier.cta.red` never meets `.sync`: each kind has numbers of its own.

use ptx::barrier::{NamedBarrier, Popc, ReductionBarrier};

ptx::shared_memory! {
    pub struct Smem { pub half: NamedBarrier<3, 64>, pub votes: ReductionBarrier<3, 64, Popc> }
}
