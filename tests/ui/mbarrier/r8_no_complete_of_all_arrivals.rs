//! An arrival that completes no phase counts at least one arrival, and leaves at least one.

use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Ready};

pub fn kernel(cta: &Cta, bar: Mbarrier<Ready, 2>, other: Mbarrier<Ready, 2>) {
    #[cfg(not(fixed))]
    let _bar = bar.arrive_no_complete::<2>(cta);
    #[cfg(not(fixed))]
    let _other = other.arrive_no_complete::<0>(cta);
    #[cfg(fixed)]
    let _bar = bar.arrive_no_complete::<1>(cta);
    #[cfg(fixed)]
    let _other = other.arrive_no_complete::<1>(cta);
}
