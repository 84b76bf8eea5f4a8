//! The pending count comes from an arrival that completes no phase.

use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Ready};

pub fn kernel(cta: &Cta, bar: Mbarrier<Ready, 2>) {
    #[cfg(not(fixed))]
    let _count = bar.pending_count();
    #[cfg(not(fixed))]
    let _bar = bar.arrive(cta).wait(cta);
    #[cfg(fixed)]
    let early = bar.arrive_no_complete::<1>(cta);
    #[cfg(fixed)]
    let _count = early.pending_count();
    #[cfg(fixed)]
    let _bar = early.arrive(cta).wait(cta);
}
