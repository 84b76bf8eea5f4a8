//! Asynchronous stores to global memory need sm_100.

use ptx::atomic::AtomicRef;
use ptx::qualifier::{scope, sem, space};

pub fn kernel(flag: AtomicRef<'static, u32, scope::Gpu, space::Global>) {
    flag.swap(1, sem::Release);
    flag.add(1, sem::Release);
}
