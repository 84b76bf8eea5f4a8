//! `multimem.red.min` takes integers only.

use ptx::multimem::MulticastRef;
use ptx::qualifier::sem;

pub fn kernel(value: MulticastRef<f64>) {
    value.reduce_min(1.0, sem::Relaxed);
}
