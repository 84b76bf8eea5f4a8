//! The pending count comes from an arrival that completes no phase.

use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Ready};

pub fn kernel(cta: &Cta, bar: Mbarrier<Ready, 2>) {
    let early = bar.arrive_no_complete::<1>(cta);
    let _count = early.pending_count();
    let _bar = early.arrive(cta).wait(cta);
}
