//! An arrival that completes no phase leaves one to come.

use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Ready};

pub fn kernel(cta: &Cta, bar: Mbarrier<Ready, 2>) {
    let _bar = bar.arrive_no_complete::<2>(cta).arrive(cta).wait(cta);
}
