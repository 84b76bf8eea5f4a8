//! Asynchronous stores to global memory need sm_100.

use ptx::atomic::AtomicRef;
use ptx::qualifier::{scope, sem, space};

pub fn kernel(flag: AtomicRef<'static, u32, scope::Gpu, space::Global>) {
    #[cfg(not(fixed))]
    flag.store_async(1);
    #[cfg(not(fixed))]
    flag.add_async(1);
    #[cfg(fixed)]
    flag.swap(1, sem::Release);
    #[cfg(fixed)]
    flag.add(1, sem::Release);
}
