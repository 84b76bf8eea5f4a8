//! An arrival that is begun in two steps is completed before the wait.

use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Ready};

pub fn kernel(cta: &Cta, bar: Mbarrier<Ready, 2>) {
    #[cfg(not(fixed))]
    let _bar = bar.arrive_no_complete::<1>(cta).wait(cta);
    #[cfg(fixed)]
    let _bar = bar.arrive_no_complete::<1>(cta).arrive(cta).wait(cta);
}
