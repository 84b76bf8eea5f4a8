//! An addition on every GPU is a reduction.

use ptx::multimem::MulticastRef;
use ptx::qualifier::sem;

pub fn kernel(value: MulticastRef<u32>) {
    #[cfg(not(fixed))]
    value.fetch_add(1, sem::Relaxed);
    #[cfg(fixed)]
    value.reduce_add(1, sem::Relaxed);
}
