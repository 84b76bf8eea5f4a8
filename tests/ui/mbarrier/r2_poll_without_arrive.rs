//! So does a look at whether the phase is complete.

use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Ready};

pub fn kernel(cta: &Cta, bar: Mbarrier<Ready>) {
    let _complete = bar.is_complete();
    let _bar = bar.arrive(cta).wait(cta);
}
