//! What a barrier reduces is an instruction of its own: a crate does not make one up for a result of its own type.

use ptx::barrier::{Reduction, ReductionBarrier};
use ptx::qualifier::op;
use ptx::warp::Warp;

pub struct Agreed(pub bool);

impl Reduction<Agreed> for op::And {
    unsafe fn red(_id: u32, _threads: u32, predicate: bool) -> Agreed {
        Agreed(predicate)
    }
}

pub fn agreed(warp: &Warp, votes: &ReductionBarrier<1, 64, op::And>, mine: bool) -> Agreed {
    votes.red(warp, mine)
}
