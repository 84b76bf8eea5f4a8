//! A barrier has one kind of use: `.sync` cannot run on a barrier of `barrier.cta.red`.

use ptx::barrier::{NamedBarrier, Popc, ReductionBarrier};
use ptx::group::Cta;

#[cfg(not(fixed))]
pub fn kernel(cta: &Cta, votes: ReductionBarrier<1, 64, Popc>) {
    votes.sync(&cta.warp());
}

#[cfg(fixed)]
pub fn kernel(cta: &Cta, votes: NamedBarrier<1, 64>) {
    votes.sync(&cta.warp());
}
