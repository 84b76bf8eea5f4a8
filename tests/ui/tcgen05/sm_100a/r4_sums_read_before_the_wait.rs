//! Sums are read after the wait for their products.

use ptx::group::Warpgroup;
use ptx::qualifier::n::N256;
use ptx::tcgen05::Accumulators;

pub fn part<'p>(warpgroup: &Warpgroup<'p, 1>, sums: Accumulators<'p, N256, 2>) -> Accumulators<'p, N256, 2> {
    #[cfg(fixed)]
    let sums = sums.wait(warpgroup);
    let _row = sums.load::<64>(warpgroup, 0);
    #[cfg(fixed)]
    let sums = sums.release(warpgroup);
    sums
}
