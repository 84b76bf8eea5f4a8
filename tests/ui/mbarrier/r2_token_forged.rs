//! Only an arrive makes its token.

use ptx::group::Cta;
use ptx::mbarrier::{Arrived, Mbarrier, Ready};

pub fn kernel(cta: &Cta, bar: Mbarrier<Ready>) {
    #[cfg(not(fixed))]
    let token = Arrived { state: 0 };
    let _bar = bar.arrive(cta).wait(cta);
    #[cfg(not(fixed))]
    drop(token);
}
