//! A load has a power of two of columns.

use ptx::group::Warpgroup;
use ptx::qualifier::n::N96;
use ptx::tcgen05::FullAccumulator;

#[cfg(not(fixed))]
const COLUMNS: usize = 48;
#[cfg(fixed)]
const COLUMNS: usize = 32;

pub fn part<'p>(warpgroup: &Warpgroup<'p, 1>, sums: &FullAccumulator<'p, N96, 2>) -> Option<[f32; COLUMNS]> {
    sums.load::<COLUMNS>(warpgroup, 0)
}
