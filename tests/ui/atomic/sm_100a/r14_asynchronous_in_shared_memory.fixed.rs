//! `st.async.release` and `red.async.release` access global memory only.

use ptx::atomic::AtomicRef;
use ptx::qualifier::{scope, sem, space};

pub fn kernel(flag: AtomicRef<'static, u32, scope::Cta, space::SharedCta>) {
    flag.store(1, sem::Release);
    flag.add(1, sem::Release);
}
