//! `init` takes the handle of the raw memory and gives that of the mbarrier.

use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};

pub fn kernel(cta: &Cta, bar: Mbarrier<Uninit>) {
    let ready = bar.init(cta);
    let _again = ready.inval(cta).init(cta);
}
