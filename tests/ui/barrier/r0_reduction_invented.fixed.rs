//! What a barrier reduces is an instruction of its own: a crate does not make one up for a result of its own type.

use ptx::barrier::ReductionBarrier;
use ptx::qualifier::op;
use ptx::warp::Warp;

pub struct Agreed(pub bool);

pub fn agreed(warp: &Warp, votes: &ReductionBarrier<1, 64, op::And>, mine: bool) -> Agreed {
    Agreed(votes.red(warp, mine))
}
