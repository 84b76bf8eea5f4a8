//! A barrier has one kind of use: `.sync` cannot run on a barrier of `barrier.cta.red`.

use ptx::barrier::NamedBarrier;
use ptx::launch::Cta;

pub fn kernel(cta: &Cta, votes: NamedBarrier<1, 64>) {
    votes.sync(&cta.warp());
}
