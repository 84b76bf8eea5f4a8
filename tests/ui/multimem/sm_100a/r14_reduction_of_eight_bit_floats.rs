//! `multimem.red` takes no eight-bit floats.

use ptx::multimem::{Fp8, MulticastRef};
use ptx::qualifier::{sem, ty};

type Bytes = [Fp8<ty::E4m3>; 4];

#[cfg(not(fixed))]
pub fn kernel(value: MulticastRef<Bytes>, b: Bytes) {
    value.reduce_add(b, sem::Relaxed);
}

#[cfg(fixed)]
pub fn kernel(value: MulticastRef<Bytes>) {
    let sum = value.load_reduce_add_acc_f16(sem::Relaxed);
    value.store(sum, sem::Relaxed);
}
