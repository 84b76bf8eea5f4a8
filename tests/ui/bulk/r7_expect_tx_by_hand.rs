//! An mbarrier expects exactly the bytes of the copies that are started on it.

use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Ready};

pub fn kernel(cta: &Cta, bar: Mbarrier<Ready>) {
    // SAFETY: none; no contract allows a foreign byte count.
    #[cfg(not(fixed))]
    let _bar = unsafe { bar.arrive_expect_tx(4096) }.wait(cta);
    #[cfg(fixed)]
    let _bar = bar.arrive(cta).wait(cta);
}
