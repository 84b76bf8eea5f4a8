//! A thread arrives once per phase.

use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Ready};

pub fn kernel(cta: &Cta, bar: Mbarrier<Ready>) {
    let _bar = bar.arrive(cta).wait(cta).arrive(cta).wait(cta);
}
