//! An asynchronous store may land after its reference has ended, so it needs memory that lasts (`'static`).

use ptx::atomic::AtomicRef;
use ptx::qualifier::{scope, space};

#[cfg(not(fixed))]
pub fn kernel(flag: AtomicRef<'_, u32, scope::Gpu, space::Global>) {
    flag.store_async(1);
}

#[cfg(fixed)]
pub fn kernel(flag: AtomicRef<'static, u32, scope::Gpu, space::Global>) {
    flag.store_async(1);
}
