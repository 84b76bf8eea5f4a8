//! A barrier has one kind of use: `.sync` cannot run on a barrier of `barrier.cta.red`.

use ptx::barrier::{Popc, ReductionBarrier};
use ptx::launch::Cta;

pub fn kernel(cta: &Cta, votes: ReductionBarrier<1, 64, Popc>) {
    votes.sync(&cta.warp());
}
