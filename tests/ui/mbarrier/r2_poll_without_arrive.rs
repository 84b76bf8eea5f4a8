//! A test of whether a phase is complete needs the token of an arrive.

use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Ready};

pub fn kernel(cta: &Cta, bar: Mbarrier<Ready>) {
    let _complete = bar.is_complete();
    let _bar = bar.arrive(cta).wait(cta);
}
