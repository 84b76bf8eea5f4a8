//! `atom.inc` and `atom.dec` take `u32` only.

use ptx::atomic::AtomicRef;
use ptx::qualifier::{scope, sem, space};

#[cfg(not(fixed))]
pub fn kernel(value: AtomicRef<'_, i32, scope::Gpu, space::Global>) {
    let _inc = value.fetch_inc(7, sem::Relaxed);
    value.inc(7, sem::Relaxed);
    let _dec = value.fetch_dec(7, sem::Relaxed);
    value.dec(7, sem::Relaxed);
}

#[cfg(fixed)]
pub fn kernel(value: AtomicRef<'_, u32, scope::Gpu, space::Global>) {
    let _inc = value.fetch_inc(7, sem::Relaxed);
    value.inc(7, sem::Relaxed);
    let _dec = value.fetch_dec(7, sem::Relaxed);
    value.dec(7, sem::Relaxed);
}
