//! A thread arrives once per phase: the arrive consumes the handle.

use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Ready};

pub fn kernel(cta: &Cta, bar: Mbarrier<Ready>) {
    #[cfg(not(fixed))]
    let _first = bar.arrive(cta);
    #[cfg(fixed)]
    let bar = bar.arrive(cta).wait(cta);
    let _second = bar.arrive(cta);
}
