//! Of `f32`, `multimem` has the sum alone.

use ptx::multimem::MulticastRef;
use ptx::qualifier::sem;

pub fn kernel(value: MulticastRef<f32>) -> f32 {
    value.load_reduce_add(sem::Relaxed)
}
