//! A row is written by one handle.

use ptx::global::AdjacentRowsMut;

pub fn kernel(two: AdjacentRowsMut<f32, 2>) {
    let [_first, _second] = two.rows();
    #[cfg(not(fixed))]
    let [_first, _second] = two.rows();
}
