//! Elements of 16 bits have compare-and-exchange, but no addition.

use ptx::atomic::AtomicRef;
use ptx::qualifier::{scope, sem, space};

pub fn kernel(value: AtomicRef<'_, u16, scope::Cta, space::SharedCta>) {
    value.add(1, sem::Relaxed);
}
