//! Elements of 16 bits have compare-and-exchange, but no addition.

use ptx::atomic::AtomicRef;
use ptx::qualifier::{scope, sem, space};

pub fn kernel(value: AtomicRef<'_, u16, scope::Cta, space::SharedCta>) {
    #[cfg(not(fixed))]
    value.add(1, sem::Relaxed);
    #[cfg(fixed)]
    let mut seen = value.load(sem::Relaxed);
    #[cfg(fixed)]
    while let Err(now) = value.compare_exchange(seen, seen.wrapping_add(1), sem::Relaxed) {
        seen = now;
    }
}
