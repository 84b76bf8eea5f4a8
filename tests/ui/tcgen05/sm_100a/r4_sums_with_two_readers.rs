//! An accumulator has one reader: the next one comes after it.

use ptx::group::Warpgroup;
use ptx::qualifier::n::N256;
use ptx::tcgen05::Accumulators;

pub fn part<'p>(warpgroup: &Warpgroup<'p, 1>, accumulators: Accumulators<'p, N256, 2>) -> Accumulators<'p, N256, 2> {
    #[cfg(not(fixed))]
    let (_first, second) = (accumulators.wait(warpgroup), accumulators.wait(warpgroup));
    #[cfg(fixed)]
    let second = accumulators.wait(warpgroup).release(warpgroup).wait(warpgroup);
    second.release(warpgroup)
}
