//! Elements of 16 bits have compare-and-exchange, but no exchange.

use ptx::atomic::AtomicRef;
use ptx::qualifier::{scope, sem, space};

pub fn kernel(value: AtomicRef<'_, u16, scope::Gpu, space::Global>) {
    let _before = value.swap(1, sem::Relaxed);
}
