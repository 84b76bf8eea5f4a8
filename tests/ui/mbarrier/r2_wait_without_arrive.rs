//! A wait needs the token of an arrive.

use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Ready};

pub fn kernel(cta: &Cta, bar: Mbarrier<Ready>) {
    #[cfg(not(fixed))]
    let _bar = bar.wait(cta);
    #[cfg(fixed)]
    let _bar = bar.arrive(cta).wait(cta);
}
