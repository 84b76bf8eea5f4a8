//! An mbarrier expects the bytes of the copies that are started on it, and no others.

use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Ready};

pub fn kernel(cta: &Cta, bar: Mbarrier<Ready>) {
    // SAFETY: nothing makes this right.
    let _bar = unsafe { bar.arrive_expect_tx(4096) }.wait(cta);
}
