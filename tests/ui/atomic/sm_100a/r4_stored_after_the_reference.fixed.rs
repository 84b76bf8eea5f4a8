//! An asynchronous store may land after its reference has ended, so it needs memory that lasts (`'static`).

use ptx::atomic::AtomicRef;
use ptx::qualifier::{scope, space};

pub fn kernel(flag: AtomicRef<'static, u32, scope::Gpu, space::Global>) {
    flag.store_async(1);
}
