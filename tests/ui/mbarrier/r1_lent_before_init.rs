//! A scope takes an initialized mbarrier, on which copies can complete.

use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};

pub fn kernel(cta: &mut Cta, bar: Mbarrier<Uninit>) {
    #[cfg(not(fixed))]
    let _bar = cta.async_scope(bar, |_, bar| bar);
    #[cfg(fixed)]
    let _bar = cta.async_scope(bar.init(cta), |_, bar| bar);
}
