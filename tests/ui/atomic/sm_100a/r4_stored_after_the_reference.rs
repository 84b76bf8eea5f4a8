//! An asynchronous store may come after a reference has ended, so what it writes has to stay.

use ptx::atomic::AtomicRef;
use ptx::qualifier::{scope, space};

pub fn kernel(flag: AtomicRef<'_, u32, scope::Gpu, space::Global>) {
    flag.store_async(1);
}
