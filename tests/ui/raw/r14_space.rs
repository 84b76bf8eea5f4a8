//! `mbarrier.expect_tx` is for shared memory.

use ptx::qualifier::{scope, space};
use ptx::raw;

pub fn kernel(bar: *mut u8) {
    // SAFETY: for the sake of the example, `bar` is a valid mbarrier and a copy of 16 bytes follows.
    unsafe { raw::mbarrier_expect_tx(scope::Cta, space::Global, bar, 16) }
}
