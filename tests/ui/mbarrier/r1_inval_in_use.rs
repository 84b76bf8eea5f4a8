//! An mbarrier is not invalidated between an arrive and its wait.

use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Ready};

pub fn kernel(cta: &Cta, bar: Mbarrier<Ready>) {
    #[cfg(not(fixed))]
    let _bar = bar.arrive(cta).inval(cta);
    #[cfg(fixed)]
    let _bar = bar.arrive(cta).wait(cta).inval(cta);
}
