//! `mbarrier.expect_tx` takes shared memory.

use ptx::qualifier::{scope, space};
use ptx::raw;

pub fn kernel(bar: *mut u8) {
    // SAFETY: the example assumes that `bar` is a valid mbarrier, and that a copy of 16 bytes follows.
    #[cfg(not(fixed))]
    unsafe {
        raw::mbarrier_expect_tx(scope::Cta, space::Global, bar, 16)
    }
    // SAFETY: the example assumes that `bar` is a valid mbarrier, and that a copy of 16 bytes follows.
    #[cfg(fixed)]
    unsafe {
        raw::mbarrier_expect_tx(scope::Cta, space::All, bar, 16)
    }
}
