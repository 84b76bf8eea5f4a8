//! `.acc::f32` is for halves: `f32` is accumulated as it is.

use ptx::multimem::MulticastRef;
use ptx::qualifier::sem;

pub fn kernel(value: MulticastRef<[f32; 4]>) {
    let _sum = value.load_reduce_add(sem::Relaxed);
    let _sum = value.load_reduce_add_weak();
}
