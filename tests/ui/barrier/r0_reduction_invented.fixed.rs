//! A reduction at a barrier is an instruction: a crate cannot define one for its own type.

use ptx::barrier::ReductionBarrier;
use ptx::qualifier::op;
use ptx::warp::Warp;

pub struct Agreed(pub bool);

pub fn agreed(warp: &Warp, votes: &ReductionBarrier<1, 64, op::And>, mine: bool) -> Agreed {
    Agreed(votes.red(warp, mine))
}
