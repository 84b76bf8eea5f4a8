//! `multimem` has vectors of floats only.

use ptx::multimem::Multicast;

pub fn kernel(values: Multicast<f32>) -> Option<usize> {
    Some(values.vectors::<4>()?.len())
}
