//! A wait at a group barrier follows the arrival of this CTA in the same round.

use ptx::cluster::PeerBarrier;
use ptx::group::Cta;

pub fn body<'c>(cta: &Cta, barrier: PeerBarrier<'c, 2>) -> PeerBarrier<'c, 2> {
    #[cfg(not(fixed))]
    {
        barrier.wait(cta)
    }
    #[cfg(fixed)]
    {
        barrier.arrive(cta).wait(cta)
    }
}
