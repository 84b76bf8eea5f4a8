//! `multimem` has vectors of floats only.

use ptx::multimem::Multicast;

#[cfg(not(fixed))]
pub fn kernel(values: Multicast<u32>) -> Option<usize> {
    Some(values.vectors::<4>()?.len())
}

#[cfg(fixed)]
pub fn kernel(values: Multicast<f32>) -> Option<usize> {
    Some(values.vectors::<4>()?.len())
}
