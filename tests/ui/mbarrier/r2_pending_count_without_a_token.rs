//! The pending count comes from an arrival that completes no phase.

use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Ready};

pub fn kernel(cta: &Cta, bar: Mbarrier<Ready, 2>) {
    let _count = bar.pending_count();
    let _bar = bar.arrive(cta).wait(cta);
}
