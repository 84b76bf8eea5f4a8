//! A matrix is dealt out beside another by value: a reference has no rows to give away. What is read is a matrix, or a number a row.

use ptx::global::{GlobalMatrix, GlobalRowsMut};
use ptx::group::Cta;

pub fn by_ctas(cta: &Cta, x: GlobalMatrix<f32>, y: GlobalRowsMut<f32>, z: GlobalRowsMut<f32>) {
    #[cfg(not(fixed))]
    y.rows_with(cta, (x, &z)).for_each(drop);
    #[cfg(fixed)]
    y.rows_with(cta, (x, z)).for_each(drop);
}

pub fn by_warps(cta: &Cta, y: GlobalRowsMut<f32>, z: GlobalRowsMut<f32>) {
    #[cfg(not(fixed))]
    y.warp_rows_with(cta, z.rows(cta)).for_each(drop);
    #[cfg(fixed)]
    y.warp_rows_with(cta, z).for_each(drop);
}
