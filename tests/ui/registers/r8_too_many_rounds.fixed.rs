//! `unroll` runs 128 rounds at most.

use ptx::registers::{from_fn, unroll};

pub fn sum(x: &[f32; 256]) -> f32 {
    let mut sum = 0.0;
    unroll::<2>(|i| unroll::<128>(|j| sum += x[128 * i + j]));
    let squares: [f32; 128] = from_fn(|i| x[i] * x[i]);
    sum + squares[0]
}
