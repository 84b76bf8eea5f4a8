//! A thread arrives once per phase: the arrive consumes the handle.

use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Ready};

pub fn kernel(cta: &Cta, bar: Mbarrier<Ready>) {
    let _first = bar.arrive(cta);
    let _second = bar.arrive(cta);
}
