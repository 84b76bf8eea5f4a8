//! A vector has no compare-and-exchange: each of its elements is atomic separately.

use ptx::atomic::AtomicRef;
use ptx::qualifier::{scope, sem, space};

#[cfg(not(fixed))]
pub fn kernel(value: AtomicRef<'_, [f32; 2], scope::Gpu, space::Global>) {
    let _before = value.compare_exchange([0.0; 2], [1.0; 2], sem::Relaxed);
}

#[cfg(fixed)]
pub fn kernel(value: AtomicRef<'_, u64, scope::Gpu, space::Global>) {
    let _before = value.compare_exchange(0, 1, sem::Relaxed);
}
