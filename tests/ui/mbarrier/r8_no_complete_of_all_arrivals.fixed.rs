//! An arrival that completes no phase is of one arrival or more, and leaves one to come.

use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Ready};

pub fn kernel(cta: &Cta, bar: Mbarrier<Ready, 2>, other: Mbarrier<Ready, 2>) {
    let _bar = bar.arrive_no_complete::<1>(cta);
    let _other = other.arrive_no_complete::<1>(cta);
}
