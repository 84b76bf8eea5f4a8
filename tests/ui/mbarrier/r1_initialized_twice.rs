//! Memory that holds an mbarrier is not initialized again.

use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};

pub fn kernel(cta: &Cta, bar: Mbarrier<Uninit>) {
    let bar = bar.init(cta).sync(cta);
    #[cfg(not(fixed))]
    let _bar = bar.init(cta).sync(cta);
    #[cfg(fixed)]
    let _bar = bar.inval(cta).init(cta).sync(cta);
}
