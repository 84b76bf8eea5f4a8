//! An mbarrier expects an arrival of each thread.

use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Ready};

pub fn kernel(cta: &Cta, bar: Mbarrier<Ready, 2>) {
    let _bar = bar.arrive_drop::<0>(cta).wait(cta);
}
