//! `unroll` runs 128 rounds at most.

use ptx::registers::{from_fn, unroll};

pub fn sum(x: &[f32; 256]) -> f32 {
    let mut sum = 0.0;
    #[cfg(not(fixed))]
    unroll::<256>(|i| sum += x[i]);
    #[cfg(not(fixed))]
    let squares: [f32; 256] = from_fn(|i| x[i] * x[i]);
    #[cfg(fixed)]
    unroll::<2>(|i| unroll::<128>(|j| sum += x[128 * i + j]));
    #[cfg(fixed)]
    let squares: [f32; 128] = from_fn(|i| x[i] * x[i]);
    sum + squares[0]
}
