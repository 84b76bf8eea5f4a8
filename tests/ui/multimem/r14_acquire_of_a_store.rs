//! A store can release, but not acquire.

use ptx::multimem::MulticastRef;
use ptx::qualifier::sem;

pub fn kernel(value: MulticastRef<u32>) {
    #[cfg(not(fixed))]
    value.store(1, sem::Acquire);
    #[cfg(fixed)]
    value.store(1, sem::Release);
}
