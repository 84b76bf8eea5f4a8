//! A thread arrives once a phase or more.

use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};

pub fn kernel(cta: &Cta, bar: Mbarrier<Uninit, 0>) {
    let _bar = bar.init(cta);
}
