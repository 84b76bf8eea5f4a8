//! A reduction at a barrier is an instruction: a crate cannot define one for its own type.

use ptx::barrier::{Reduction, ReductionBarrier};
use ptx::qualifier::op;
use ptx::warp::Warp;

pub struct Agreed(pub bool);

#[cfg(not(fixed))]
impl Reduction<Agreed> for op::And {
    unsafe fn red(_id: u32, _threads: u32, predicate: bool) -> Agreed {
        Agreed(predicate)
    }
}

pub fn agreed(warp: &Warp, votes: &ReductionBarrier<1, 64, op::And>, mine: bool) -> Agreed {
    #[cfg(not(fixed))]
    {
        votes.red(warp, mine)
    }
    #[cfg(fixed)]
    {
        Agreed(votes.red(warp, mine))
    }
}
