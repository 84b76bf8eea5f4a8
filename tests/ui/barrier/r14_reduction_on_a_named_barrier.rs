//! A barrier has one kind of use: `barrier.cta.red` cannot run on a barrier of `.sync`.

use ptx::barrier::{NamedBarrier, Popc, ReductionBarrier};
use ptx::group::Cta;

#[cfg(not(fixed))]
pub fn kernel(cta: &Cta, half: NamedBarrier<1, 64>, value: u32) -> u32 {
    half.red(&cta.warp(), value > 3)
}

#[cfg(fixed)]
pub fn kernel(cta: &Cta, half: ReductionBarrier<1, 64, Popc>, value: u32) -> u32 {
    half.red(&cta.warp(), value > 3)
}
