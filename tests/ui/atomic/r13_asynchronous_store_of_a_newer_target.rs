//! Asynchronous stores to global memory need sm_100.

use ptx::atomic::AtomicRef;
use ptx::qualifier::{scope, space};

pub fn kernel(flag: AtomicRef<'static, u32, scope::Gpu, space::Global>) {
    flag.store_async(1);
    flag.add_async(1);
}
