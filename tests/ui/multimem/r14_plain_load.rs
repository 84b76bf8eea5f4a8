//! Only `multimem` operations take a multimem address: there is no load of one GPU's value.

use ptx::multimem::MulticastRef;
use ptx::qualifier::sem;

pub fn kernel(value: MulticastRef<f32>) -> f32 {
    value.load(sem::Relaxed)
}
