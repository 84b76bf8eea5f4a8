//! A scope initializes the mbarriers that are lent to it: an initialized mbarrier would be initialized twice.

use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};

pub fn kernel(cta: &mut Cta, bar: Mbarrier<Uninit>) {
    #[cfg(not(fixed))]
    let _bar = cta.async_scope(bar.init(cta).sync(cta), |_, bar| bar);
    #[cfg(fixed)]
    let _bar = cta.async_scope(bar, |_, bar| bar);
}

pub fn before_its_barrier(cta: &mut Cta, bar: Mbarrier<Uninit>) {
    #[cfg(not(fixed))]
    let _bar = cta.async_scope(bar.init(cta), |_, bar| bar);
    #[cfg(fixed)]
    let _bar = cta.async_scope(bar, |_, bar| bar);
}
