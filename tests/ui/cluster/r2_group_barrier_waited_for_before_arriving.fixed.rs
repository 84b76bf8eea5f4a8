//! A CTA arrives at a group barrier, and then waits.

use ptx::cluster::GroupBarrier;
use ptx::launch::Cta;

pub fn body<'c>(cta: &Cta, barrier: GroupBarrier<'c, 2>) -> GroupBarrier<'c, 2> {
    barrier.arrive(cta).wait(cta)
}
