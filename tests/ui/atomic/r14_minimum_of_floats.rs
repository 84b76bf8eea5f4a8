//! `atom.min` and `atom.max` take no floats. The bits of nonnegative floats have the same order as integers.

use ptx::atomic::AtomicRef;
use ptx::qualifier::{scope, sem, space};

#[cfg(not(fixed))]
pub fn kernel(value: AtomicRef<'_, f32, scope::Gpu, space::Global>) {
    let _min = value.fetch_min(1.5, sem::Relaxed);
    value.min(1.5, sem::Relaxed);
    let _max = value.fetch_max(1.5, sem::Relaxed);
    value.max(1.5, sem::Relaxed);
}

#[cfg(fixed)]
pub fn kernel(value: AtomicRef<'_, u32, scope::Gpu, space::Global>) {
    let _min = value.fetch_min(1.5_f32.to_bits(), sem::Relaxed);
    value.min(1.5_f32.to_bits(), sem::Relaxed);
    let _max = value.fetch_max(1.5_f32.to_bits(), sem::Relaxed);
    value.max(1.5_f32.to_bits(), sem::Relaxed);
}
