//! `unroll` runs 128 rounds at most.

use ptx::registers::{from_fn, unroll};

pub fn sum(x: &[f32; 256]) -> f32 {
    let mut sum = 0.0;
    unroll::<256>(|i| sum += x[i]);
    let squares: [f32; 256] = from_fn(|i| x[i] * x[i]);
    sum + squares[0]
}
