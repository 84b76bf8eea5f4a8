//! A thread drops at least one of its arrivals, and keeps at least one.

use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Ready};

pub fn kernel(cta: &Cta, bar: Mbarrier<Ready, 2>, other: Mbarrier<Ready, 2>) {
    #[cfg(not(fixed))]
    let _bar = bar.arrive_drop::<0>(cta);
    #[cfg(not(fixed))]
    let _other = other.arrive_drop::<2>(cta);
    #[cfg(fixed)]
    let _bar = bar.arrive_drop::<1>(cta);
    #[cfg(fixed)]
    let _other = other.arrive_drop::<1>(cta);
}
