//! Only `multimem` operations take a multimem address: a load combines the values of all GPUs.

use ptx::multimem::MulticastRef;
use ptx::qualifier::sem;

pub fn kernel(value: MulticastRef<f32>) -> f32 {
    value.load_reduce_add(sem::Relaxed)
}
