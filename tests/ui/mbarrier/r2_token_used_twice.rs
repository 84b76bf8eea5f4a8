//! The token of an arrive is good for one wait.

use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Ready};

pub fn kernel(cta: &Cta, bar: Mbarrier<Ready>) {
    let arrived = bar.arrive(cta);
    let _bar = arrived.wait(cta);
    let _bar = arrived.wait(cta);
}
