//! A store can release, but not acquire.

use ptx::multimem::MulticastRef;
use ptx::qualifier::sem;

pub fn kernel(value: MulticastRef<u32>) {
    value.store(1, sem::Acquire);
}
