//! `.acc::f16` is for eight-bit floats; `.acc::f32` is not.

use ptx::multimem::{Fp8, MulticastRef};
use ptx::qualifier::{sem, ty};

pub fn kernel(floats: MulticastRef<[f32; 4]>, bytes: MulticastRef<[Fp8<ty::E4m3>; 8]>) {
    #[cfg(not(fixed))]
    let _sum = floats.load_reduce_add_acc_f16(sem::Relaxed);
    #[cfg(not(fixed))]
    let _sum = bytes.load_reduce_add_acc_f32(sem::Relaxed);
    #[cfg(fixed)]
    let _sum = floats.load_reduce_add(sem::Relaxed);
    #[cfg(fixed)]
    let _sum = bytes.load_reduce_add_acc_f16(sem::Relaxed);
}
