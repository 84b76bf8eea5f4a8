//! Each CTA arrives once per round at a group barrier: a second arrival would count for another CTA.

use ptx::cluster::PeerBarrier;
use ptx::group::Cta;

pub fn body<'c>(cta: &Cta, barrier: PeerBarrier<'c, 2>) -> PeerBarrier<'c, 2> {
    #[cfg(not(fixed))]
    {
        barrier.arrive(cta).arrive(cta).wait(cta)
    }
    #[cfg(fixed)]
    {
        barrier.arrive(cta).wait(cta).arrive(cta).wait(cta)
    }
}
