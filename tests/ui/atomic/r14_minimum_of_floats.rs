//! `atom.min` takes no floats: there is a trick by integers, for numbers that are not negative.

use ptx::atomic::AtomicRef;
use ptx::qualifier::{scope, sem, space};

pub fn kernel(value: AtomicRef<'_, f32, scope::Gpu, space::Global>) {
    value.min(1.5, sem::Relaxed);
}
