//! `inval` takes an initialized mbarrier.

use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};

pub fn kernel(cta: &Cta, bar: Mbarrier<Uninit>) {
    #[cfg(not(fixed))]
    let _bar = bar.inval(cta);
    #[cfg(fixed)]
    let _bar = bar.init(cta).sync(cta).inval(cta);
}
