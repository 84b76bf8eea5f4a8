//! A vector has no compare-and-exchange, and so no update: each of its elements is atomic separately.

use ptx::atomic::AtomicRef;
use ptx::qualifier::{scope, sem, space};

#[cfg(not(fixed))]
pub fn kernel(value: AtomicRef<'_, [f32; 2], scope::Gpu, space::Global>) {
    value.fetch_update([0.0; 2], |[a, b]| [b, a], sem::Relaxed);
}

#[cfg(fixed)]
pub fn kernel(value: AtomicRef<'_, u64, scope::Gpu, space::Global>) {
    value.fetch_update(0, |now| now.rotate_left(32), sem::Relaxed);
}
