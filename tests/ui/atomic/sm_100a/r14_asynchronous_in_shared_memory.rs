//! `st.async.release` and `red.async.release` access global memory only.

use ptx::atomic::AtomicRef;
use ptx::qualifier::{scope, sem, space};

pub fn kernel(flag: AtomicRef<'static, u32, scope::Cta, space::SharedCta>) {
    #[cfg(not(fixed))]
    flag.store_async(1);
    #[cfg(not(fixed))]
    flag.add_async(1);
    #[cfg(fixed)]
    flag.store(1, sem::Release);
    #[cfg(fixed)]
    flag.add(1, sem::Release);
}
