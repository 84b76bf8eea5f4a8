//! A load can acquire, but not release.

use ptx::multimem::MulticastRef;
use ptx::qualifier::sem;

pub fn kernel(value: MulticastRef<u32>) -> u32 {
    #[cfg(not(fixed))]
    {
        value.load_reduce_add(sem::Release)
    }
    #[cfg(fixed)]
    {
        value.load_reduce_add(sem::Acquire)
    }
}
