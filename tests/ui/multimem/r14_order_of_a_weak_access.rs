//! A weak access has no order and no scope.

use ptx::multimem::MulticastRef;
use ptx::qualifier::sem;

pub fn kernel(value: MulticastRef<u32>) {
    #[cfg(not(fixed))]
    value.store_weak(1, sem::Release);
    #[cfg(not(fixed))]
    let _sum = value.load_reduce_add_weak(sem::Acquire);
    #[cfg(not(fixed))]
    let _least = value.load_reduce_min_weak(sem::Relaxed);
    #[cfg(fixed)]
    value.store_weak(1);
    #[cfg(fixed)]
    let _sum = value.load_reduce_add_weak();
    #[cfg(fixed)]
    let _least = value.load_reduce_min_weak();
}
