//! A scope is lent an mbarrier that copies can complete on.

use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};

pub fn kernel(cta: &mut Cta, bar: Mbarrier<Uninit>) {
    let _bar = cta.async_scope(bar, |_, bar| bar);
}
