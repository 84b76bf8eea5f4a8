//! `multimem` has vectors of floats only.

use ptx::multimem::Multicast;

pub fn kernel(values: Multicast<u32>) -> Option<usize> {
    Some(values.vectors::<4>()?.len())
}
