//! A vector has no exchange: each of its elements is atomic separately.

use ptx::atomic::AtomicRef;
use ptx::qualifier::{scope, sem, space};

pub fn kernel(value: AtomicRef<'_, [f32; 4], scope::Gpu, space::Global>) {
    #[cfg(not(fixed))]
    let _before = value.swap([0.0; 4], sem::Relaxed);
    #[cfg(fixed)]
    let _before = value.fetch_add([0.0; 4], sem::Relaxed);
}
