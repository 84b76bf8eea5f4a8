//! Each CTA arrives once per round at a group barrier: a second arrival would count for another CTA.

use ptx::cluster::GroupBarrier;
use ptx::launch::Cta;

pub fn body<'c>(cta: &Cta, barrier: GroupBarrier<'c, 2>) -> GroupBarrier<'c, 2> {
    barrier.arrive(cta).arrive(cta).wait(cta)
}
