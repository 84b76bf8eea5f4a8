//! A reference to an atomic value stays in its thread.

use ptx::atomic::AtomicRef;
use ptx::qualifier::{scope, sem, space};

pub fn kernel(value: AtomicRef<'_, u32, scope::Cta, space::SharedCta>) {
    #[cfg(not(fixed))]
    on_another_thread(value);
    #[cfg(fixed)]
    in_this_thread(value);
}

#[cfg(not(fixed))]
fn on_another_thread(_: impl Send) {}

#[cfg(fixed)]
fn in_this_thread(value: AtomicRef<'_, u32, scope::Cta, space::SharedCta>) {
    value.add(1, sem::Relaxed);
}
