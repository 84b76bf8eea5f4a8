//! `init` consumes the handle of raw memory and returns that of the mbarrier.

use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};

pub fn kernel(cta: &Cta, bar: Mbarrier<Uninit>) {
    let ready = bar.init(cta);
    let _again = ready.inval(cta).init(cta);
}
