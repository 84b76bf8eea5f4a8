//! `atom.or` takes bits, as integers.

use ptx::atomic::AtomicRef;
use ptx::qualifier::{scope, sem, space};

pub fn kernel(value: AtomicRef<'_, u32, scope::Gpu, space::Global>) {
    value.or(1.0_f32.to_bits(), sem::Relaxed);
}
