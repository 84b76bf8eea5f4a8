//! `st.async.release` and `red.async.release` have the scopes `.gpu` and `.sys`.

use ptx::atomic::AtomicRef;
use ptx::qualifier::{scope, space};

#[cfg(not(fixed))]
pub fn kernel(
    flag: AtomicRef<'static, u32, scope::Cta, space::Global>,
    count: AtomicRef<'static, u32, scope::Cluster, space::Global>,
) {
    flag.store_async(1);
    count.add_async(1);
}

#[cfg(fixed)]
pub fn kernel(
    flag: AtomicRef<'static, u32, scope::Gpu, space::Global>,
    count: AtomicRef<'static, u32, scope::Sys, space::Global>,
) {
    flag.store_async(1);
    count.add_async(1);
}
