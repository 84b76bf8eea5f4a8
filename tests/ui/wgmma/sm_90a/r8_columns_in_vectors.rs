//! A vector has the values of four of 16 columns.

use ptx::group::Warpgroup;
use ptx::qualifier::n;
use ptx::wgmma::Accumulator;

#[cfg(not(fixed))]
type Columns = n::N8;
#[cfg(fixed)]
type Columns = n::N16;

pub fn part(warpgroup: &Warpgroup<'_, 1>, sums: Accumulator<Columns>) -> Accumulator<Columns> {
    sums.map_columns(warpgroup, |_| [1.0; 4], |x, value| x * value)
}
