//! An mbarrier has one handle.

use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Ready};

pub fn kernel(cta: &Cta, bar: Mbarrier<Ready>) {
    #[cfg(not(fixed))]
    let _one = bar.clone().arrive(cta).wait(cta);
    #[cfg(fixed)]
    let bar = bar.arrive(cta).wait(cta);
    let _other = bar.arrive(cta).wait(cta);
}
