//! Sums are read before the accumulator is given back.

use ptx::group::Warpgroup;
use ptx::qualifier::n::N256;
use ptx::tcgen05::{Accumulators, FullAccumulator};

pub fn part<'p>(warpgroup: &Warpgroup<'p, 1>, sums: FullAccumulator<'p, N256, 2>) -> Accumulators<'p, N256, 2> {
    #[cfg(fixed)]
    let _row = sums.load::<64>(warpgroup, 0);
    let accumulators = sums.release(warpgroup);
    #[cfg(not(fixed))]
    let _row = sums.load::<64>(warpgroup, 0);
    accumulators
}
