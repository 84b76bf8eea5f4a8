//! A reference to an atomic value stays in its thread.

use ptx::atomic::AtomicRef;
use ptx::qualifier::{scope, space};

pub fn kernel(value: AtomicRef<'_, u32, scope::Cta, space::SharedCta>) {
    on_another_thread(value);
}

fn on_another_thread(_: impl Send) {}
