//! A wait needs the token of an arrive, with a suspend-time hint too.

use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Ready};

pub fn kernel(cta: &Cta, bar: Mbarrier<Ready>) {
    #[cfg(not(fixed))]
    let _bar = bar.wait_with_hint(cta, 1000);
    #[cfg(fixed)]
    let _bar = bar.arrive(cta).wait_with_hint(cta, 1000);
}
