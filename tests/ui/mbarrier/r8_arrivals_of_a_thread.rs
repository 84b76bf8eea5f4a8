//! A thread arrives once a phase or more, and so seldom that all threads fit the count.

use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};

pub fn kernel(cta: &Cta, none: Mbarrier<Uninit, 0>, many: Mbarrier<Uninit, 1024>) {
    let _none = none.init(cta);
    let _many = many.init(cta);
}
