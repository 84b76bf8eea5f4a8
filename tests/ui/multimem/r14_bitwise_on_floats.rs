//! The bitwise operations take integers only.

use ptx::multimem::MulticastRef;
use ptx::qualifier::sem;

#[cfg(not(fixed))]
pub fn kernel(value: MulticastRef<f32>) {
    let _and = value.load_reduce_and(sem::Relaxed);
    value.reduce_and(1.0, sem::Release);
    let _or = value.load_reduce_or(sem::Relaxed);
    value.reduce_or(1.0, sem::Release);
    let _xor = value.load_reduce_xor(sem::Relaxed);
    value.reduce_xor(1.0, sem::Release);
}

#[cfg(fixed)]
pub fn kernel(value: MulticastRef<u32>) {
    let _and = value.load_reduce_and(sem::Relaxed);
    value.reduce_and(1.0_f32.to_bits(), sem::Release);
    let _or = value.load_reduce_or(sem::Relaxed);
    value.reduce_or(1.0_f32.to_bits(), sem::Release);
    let _xor = value.load_reduce_xor(sem::Relaxed);
    value.reduce_xor(1.0_f32.to_bits(), sem::Release);
}
