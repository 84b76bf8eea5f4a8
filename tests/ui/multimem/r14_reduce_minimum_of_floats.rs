//! `multimem.red.min` takes integers only.

use ptx::multimem::MulticastRef;
use ptx::qualifier::sem;

pub fn kernel(value: MulticastRef<f64>) {
    #[cfg(not(fixed))]
    value.reduce_min(1.0, sem::Relaxed);
    #[cfg(fixed)]
    value.reduce_add(1.0, sem::Relaxed);
}
