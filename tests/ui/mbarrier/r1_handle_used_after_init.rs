//! `init` consumes the handle of raw memory and returns that of the mbarrier.

use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};

pub fn kernel(cta: &Cta, bar: Mbarrier<Uninit>) {
    let _ready = bar.init(cta);
    let _again = bar.init(cta);
}
