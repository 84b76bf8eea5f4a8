//! `barrier.cta.red` counts (`.popc`), or combines by `.and` or `.or`.

use ptx::barrier::ReductionBarrier;
use ptx::group::Cta;
use ptx::qualifier::op;

#[cfg(not(fixed))]
pub fn kernel(cta: &Cta, votes: ReductionBarrier<1, 64, op::Xor>, value: u32) -> bool {
    votes.red(&cta.warp(), value > 3)
}

#[cfg(fixed)]
pub fn kernel(cta: &Cta, votes: ReductionBarrier<1, 64, op::Or>, value: u32) -> bool {
    votes.red(&cta.warp(), value > 3)
}
