//! `atom.and`, `atom.or` and `atom.xor` take integers only.

use ptx::atomic::AtomicRef;
use ptx::qualifier::{scope, sem, space};

#[cfg(not(fixed))]
pub fn kernel(value: AtomicRef<'_, f32, scope::Gpu, space::Global>) {
    let _and = value.fetch_and(1.0, sem::Relaxed);
    value.and(1.0, sem::Relaxed);
    let _or = value.fetch_or(1.0, sem::Relaxed);
    value.or(1.0, sem::Relaxed);
    let _xor = value.fetch_xor(1.0, sem::Relaxed);
    value.xor(1.0, sem::Relaxed);
}

#[cfg(fixed)]
pub fn kernel(value: AtomicRef<'_, u32, scope::Gpu, space::Global>) {
    let _and = value.fetch_and(1.0_f32.to_bits(), sem::Relaxed);
    value.and(1.0_f32.to_bits(), sem::Relaxed);
    let _or = value.fetch_or(1.0_f32.to_bits(), sem::Relaxed);
    value.or(1.0_f32.to_bits(), sem::Relaxed);
    let _xor = value.fetch_xor(1.0_f32.to_bits(), sem::Relaxed);
    value.xor(1.0_f32.to_bits(), sem::Relaxed);
}
