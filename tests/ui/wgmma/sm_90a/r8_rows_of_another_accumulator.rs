//! Values of the rows of accumulators of equal rows are combined, by the threads of the warpgroup.

use ptx::group::Warpgroup;
use ptx::wgmma::PerRow;

#[cfg(not(fixed))]
pub fn part<'p>(warpgroup: &Warpgroup<'p, 1>, warp: &ptx::warp::Warp<'p>, few: PerRow<f32>, many: PerRow<f32, 2>) -> PerRow<f32, 2> {
    let sums = many.zip(few, |x, y| x + y);
    few.reduce(warp, f32::max);
    few.for_each(warp, |row, x| _ = (row, x));
    sums
}

#[cfg(fixed)]
pub fn part<'p>(warpgroup: &Warpgroup<'p, 1>, few: PerRow<f32>, many: PerRow<f32, 2>) -> PerRow<f32, 2> {
    let sums = many.zip(many, |x, y| x + y);
    few.reduce(warpgroup, f32::max);
    few.for_each(warpgroup, |row, x| _ = (row, x));
    sums
}
