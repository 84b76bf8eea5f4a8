//! After `inval` there is no mbarrier to arrive on.

use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Ready};

pub fn kernel(cta: &Cta, bar: Mbarrier<Ready>) {
    let bar = bar.inval(cta);
    #[cfg(not(fixed))]
    let _bar = bar.arrive(cta).wait(cta);
    #[cfg(fixed)]
    let _bar = bar.init(cta).sync(cta).arrive(cta).wait(cta);
}
