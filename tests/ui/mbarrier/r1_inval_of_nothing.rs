//! `inval` takes an initialized mbarrier.

use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};

pub fn kernel(cta: &Cta, bar: Mbarrier<Uninit>) {
    let _bar = bar.inval(cta);
}
