//! `init` consumes the handle of raw memory and returns that of the mbarrier.

use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};

pub fn kernel(cta: &Cta, bar: Mbarrier<Uninit>) {
    #[cfg(not(fixed))]
    let _ready = bar.init(cta);
    #[cfg(not(fixed))]
    let _again = bar.init(cta);
    #[cfg(fixed)]
    let ready = bar.init(cta);
    #[cfg(fixed)]
    let _again = ready.inval(cta).init(cta);
}
