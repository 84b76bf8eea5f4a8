//! A wait at a group barrier follows the arrival of this CTA in the same round.

use ptx::cluster::GroupBarrier;
use ptx::launch::Cta;

pub fn body<'c>(cta: &Cta, barrier: GroupBarrier<'c, 2>) -> GroupBarrier<'c, 2> {
    #[cfg(not(fixed))]
    {
        barrier.wait(cta)
    }
    #[cfg(fixed)]
    {
        barrier.arrive(cta).wait(cta)
    }
}
