//! A wait is for the round in which this CTA has arrived.

use ptx::cluster::GroupBarrier;
use ptx::launch::Cta;

pub fn body<'c>(cta: &Cta, barrier: GroupBarrier<'c, 2>) -> GroupBarrier<'c, 2> {
    barrier.wait(cta)
}
