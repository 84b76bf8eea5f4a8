//! After `inval` there is no mbarrier to arrive on.

use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Ready};

pub fn kernel(cta: &Cta, bar: Mbarrier<Ready>) {
    let bar = bar.inval(cta);
    let _bar = bar.arrive(cta).wait(cta);
}
