//! A test of whether a phase is complete needs the token of an arrive.

use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Ready};

pub fn kernel(cta: &Cta, bar: Mbarrier<Ready>) {
    #[cfg(fixed)]
    let bar = bar.arrive(cta);
    let _complete = bar.is_complete();
    #[cfg(not(fixed))]
    let _bar = bar.arrive(cta).wait(cta);
    #[cfg(fixed)]
    let _bar = bar.wait(cta);
}
