//! `atom.inc` takes `u32`.

use ptx::atomic::AtomicRef;
use ptx::qualifier::{scope, sem, space};

pub fn kernel(value: AtomicRef<'_, i32, scope::Gpu, space::Global>) {
    let _before = value.fetch_inc(7, sem::Relaxed);
}
