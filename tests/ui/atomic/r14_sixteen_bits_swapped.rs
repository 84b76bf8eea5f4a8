//! Elements of 16 bits have compare-and-exchange, but no exchange.

use ptx::atomic::AtomicRef;
use ptx::qualifier::{scope, sem, space};

pub fn kernel(value: AtomicRef<'_, u16, scope::Gpu, space::Global>) {
    #[cfg(not(fixed))]
    let _before = value.swap(1, sem::Relaxed);
    #[cfg(fixed)]
    let _before = value.compare_exchange(0, 1, sem::Relaxed);
}
