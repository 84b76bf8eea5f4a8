//! A thread arrives once a phase or more, and so seldom that all threads fit the count.

use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};

pub fn kernel(cta: &Cta, none: Mbarrier<Uninit, 1>, many: Mbarrier<Uninit, 1023>) {
    let _none = none.init(cta);
    let _many = many.init(cta);
}
