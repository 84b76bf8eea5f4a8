//! A thread arrives once per phase.

use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Ready};

pub fn kernel(cta: &Cta, bar: Mbarrier<Ready>) {
    #[cfg(not(fixed))]
    let _bar = bar.arrive(cta).arrive(cta).wait(cta);
    #[cfg(fixed)]
    let _bar = bar.arrive(cta).wait(cta).arrive(cta).wait(cta);
}
