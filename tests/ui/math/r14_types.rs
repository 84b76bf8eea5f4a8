//! The approximations take `f32` and halves.

use ptx::math::{ex2, ex2_ftz, tanh};

#[cfg(not(fixed))]
pub fn powers(x: f64) -> f64 {
    ex2(x) + ex2_ftz(x) + tanh(x)
}

#[cfg(fixed)]
pub fn powers(x: f64) -> f32 {
    let x = x as f32;
    ex2(x) + ex2_ftz(x) + tanh(x)
}
