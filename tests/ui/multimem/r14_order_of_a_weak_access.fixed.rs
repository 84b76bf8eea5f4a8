//! A weak access has no order and no scope.

use ptx::multimem::MulticastRef;

pub fn kernel(value: MulticastRef<u32>) {
    value.store_weak(1);
    let _sum = value.load_reduce_add_weak();
    let _least = value.load_reduce_min_weak();
}
