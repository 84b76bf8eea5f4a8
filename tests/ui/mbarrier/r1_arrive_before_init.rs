//! An mbarrier is initialized before threads arrive on it.

use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};

pub fn kernel(cta: &Cta, bar: Mbarrier<Uninit>) {
    #[cfg(not(fixed))]
    let _bar = bar.arrive(cta).wait(cta);
    #[cfg(fixed)]
    let _bar = bar.init(cta).sync(cta).arrive(cta).wait(cta);
}
