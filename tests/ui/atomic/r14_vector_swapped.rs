//! A vector has no exchange: each of its elements is atomic separately.

use ptx::atomic::AtomicRef;
use ptx::qualifier::{scope, sem, space};

pub fn kernel(value: AtomicRef<'_, [f32; 4], scope::Gpu, space::Global>) {
    let _before = value.swap([0.0; 4], sem::Relaxed);
}
