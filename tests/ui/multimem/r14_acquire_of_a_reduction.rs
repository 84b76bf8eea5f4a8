//! A reduction has no result, so it cannot acquire.

use ptx::multimem::MulticastRef;
use ptx::qualifier::sem;

pub fn kernel(value: MulticastRef<u32>) {
    #[cfg(not(fixed))]
    value.reduce_add(1, sem::AcqRel);
    #[cfg(fixed)]
    value.reduce_add(1, sem::Release);
}
