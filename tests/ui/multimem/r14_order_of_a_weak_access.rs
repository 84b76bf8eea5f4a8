//! A weak access has no order and no scope.

use ptx::multimem::MulticastRef;
use ptx::qualifier::sem;

pub fn kernel(value: MulticastRef<u32>) {
    value.store_weak(1, sem::Release);
    let _sum = value.load_reduce_add_weak(sem::Acquire);
    let _least = value.load_reduce_min_weak(sem::Relaxed);
}
