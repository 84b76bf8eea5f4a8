//! The special function unit computes in `f32`, so only `f32` has `exp`.

use ptx::math::Float;

pub fn power(x: f64) -> f64 {
    #[cfg(not(fixed))]
    {
        Float::exp(x)
    }
    #[cfg(fixed)]
    {
        f64::from(Float::exp(x as f32))
    }
}
