//! `.acc::f32` is for halves: sums of `f32` need no qualifier.

use ptx::multimem::MulticastRef;
use ptx::qualifier::sem;

pub fn kernel(value: MulticastRef<[f32; 4]>) {
    #[cfg(not(fixed))]
    let _sum = value.load_reduce_add_acc_f32(sem::Relaxed);
    #[cfg(fixed)]
    let _sum = value.load_reduce_add(sem::Relaxed);
}
