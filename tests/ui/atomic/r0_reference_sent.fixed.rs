//! A reference to an atomic value stays in its thread.

use ptx::atomic::AtomicRef;
use ptx::qualifier::{scope, sem, space};

pub fn kernel(value: AtomicRef<'_, u32, scope::Cta, space::SharedCta>) {
    in_this_thread(value);
}

fn in_this_thread(value: AtomicRef<'_, u32, scope::Cta, space::SharedCta>) {
    value.add(1, sem::Relaxed);
}
