//! `st.async.release` and `red.async.release` access global memory only.

use ptx::atomic::AtomicRef;
use ptx::qualifier::{scope, space};

pub fn kernel(flag: AtomicRef<'static, u32, scope::Cta, space::SharedCta>) {
    flag.store_async(1);
    flag.add_async(1);
}
