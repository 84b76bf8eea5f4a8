//! The token of an arrive is good for one wait.

use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Ready};

pub fn kernel(cta: &Cta, bar: Mbarrier<Ready>) {
    let arrived = bar.arrive(cta);
    #[cfg(not(fixed))]
    let _bar = arrived.wait(cta);
    #[cfg(not(fixed))]
    let _bar = arrived.wait(cta);
    #[cfg(fixed)]
    let bar = arrived.wait(cta);
    #[cfg(fixed)]
    let _bar = bar.arrive(cta).wait(cta);
}
