//! Eight-bit floats at a multimem address need sm_100f, sm_110f, sm_120a or sm_121a.

use ptx::multimem::{Fp8, Multicast};
use ptx::qualifier::{sem, ty};

#[cfg(not(fixed))]
pub fn kernel(values: Multicast<[Fp8<ty::E4m3>; 4]>) {
    let Some(value) = values.get(0) else { return };
    let _sum = value.load_reduce_add(sem::Relaxed);
}

#[cfg(fixed)]
pub fn kernel(values: Multicast<[f32; 4]>) {
    let Some(value) = values.get(0) else { return };
    let _sum = value.load_reduce_add(sem::Relaxed);
}
