//! Each thread arrives at least once per phase, and the arrivals of all threads fit into the mbarrier's count.

use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};

#[cfg(not(fixed))]
pub fn kernel(cta: &Cta, none: Mbarrier<Uninit, 0>, many: Mbarrier<Uninit, 1024>) {
    let _none = none.init(cta).sync(cta);
    let _many = many.init(cta).sync(cta);
}

#[cfg(fixed)]
pub fn kernel(cta: &Cta, none: Mbarrier<Uninit, 1>, many: Mbarrier<Uninit, 1023>) {
    let _none = none.init(cta).sync(cta);
    let _many = many.init(cta).sync(cta);
}
