//! A barrier has one kind of use: `.sync` must not be mixed with `barrier.cta.red`.

use ptx::barrier::NamedBarrier;
use ptx::launch::Cta;

pub fn kernel(cta: &Cta, votes: NamedBarrier<1, 64>) {
    votes.sync(&cta.warp());
}
