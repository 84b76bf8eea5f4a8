//! One handle deals out the rows of a matrix: each row has one owner.

use ptx::global::GlobalRowsMut;
use ptx::group::Cta;

pub fn kernel(cta: &Cta, y: GlobalRowsMut<f32>) {
    y.rows(cta).for_each(|(_, row)| row.vectors(cta).for_each(|(_, vector)| vector.write([0.0; 4])));
    #[cfg(not(fixed))]
    y.rows(cta).for_each(|(_, row)| row.vectors(cta).for_each(|(_, vector)| vector.write([1.0; 4])));
}

pub fn to_ctas_and_warps(cta: &Cta, y: GlobalRowsMut<f32>) {
    y.rows(cta).for_each(|(_, row)| row.vectors(cta).for_each(|(_, vector)| vector.write([0.0; 4])));
    #[cfg(not(fixed))]
    y.warp_rows(cta).for_each(|(_, vectors)| vectors.for_each(|(_, vector)| vector.write([1.0; 4])));
}

pub fn beside_another(cta: &Cta, y: GlobalRowsMut<f32>, z: GlobalRowsMut<f32>) {
    z.rows_with(cta, y).for_each(drop);
    #[cfg(not(fixed))]
    y.warp_rows(cta).for_each(drop);
}
