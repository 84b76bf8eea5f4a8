//! The inputs of a loop over vectors are read-only slices: other threads write those of a writable one.

use ptx::global::{Global, VectorsMut};

#[cfg(not(fixed))]
pub fn kernel(x: VectorsMut<f32>, y: VectorsMut<f32>) {
    let first = y.get_with(0, x.clone());
    y.for_each_write::<4, _>(x, |x| x);
}

#[cfg(fixed)]
pub fn kernel(x: Global<f32>, y: VectorsMut<f32>) {
    let _first = y.get_with(0, x);
    y.for_each_write::<4, _>(x, |x| x);
}
