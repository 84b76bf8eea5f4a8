//! A thread has at least one load in flight.

use ptx::global::{Global, VectorsMut};

pub fn kernel(x: Global<f32>, first: VectorsMut<f32>, second: VectorsMut<f32>) {
    #[cfg(not(fixed))]
    {
        first.for_each_update::<0, _>(x, |x, _| x);
        second.for_each_write::<17, _>(x, |x| x);
    }
    #[cfg(fixed)]
    {
        first.for_each_update::<4, _>(x, |x, _| x);
        second.for_each_write::<16, _>(x, |x| x);
    }
}
