//! Each CTA arrives once a round: a second arrival would be taken for another CTA's.

use ptx::cluster::GroupBarrier;
use ptx::launch::Cta;

pub fn body<'c>(cta: &Cta, barrier: GroupBarrier<'c, 2>) -> GroupBarrier<'c, 2> {
    barrier.arrive(cta).arrive(cta).wait(cta)
}
