//! On `f32`, `multimem` only adds.

use ptx::multimem::MulticastRef;
use ptx::qualifier::sem;

#[cfg(not(fixed))]
pub fn kernel(value: MulticastRef<f32>) {
    let _min = value.load_reduce_min(sem::Relaxed);
    value.reduce_min(1.0, sem::Release);
    let _max = value.load_reduce_max(sem::Relaxed);
    value.reduce_max(1.0, sem::Release);
}

#[cfg(fixed)]
pub fn kernel(value: MulticastRef<i32>) {
    let _min = value.load_reduce_min(sem::Relaxed);
    value.reduce_min(1, sem::Release);
    let _max = value.load_reduce_max(sem::Relaxed);
    value.reduce_max(1, sem::Release);
}
