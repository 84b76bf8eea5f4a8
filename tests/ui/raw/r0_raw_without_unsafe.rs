//! A raw instruction is unsafe: it has a contract.

use ptx::qualifier::space;
use ptx::raw;

pub fn kernel(bar: u32) {
    #[cfg(not(fixed))]
    raw::mbarrier_inval(space::SharedCta, bar);
    // SAFETY: the example assumes that `bar` is a valid mbarrier, which no thread uses any more.
    #[cfg(fixed)]
    unsafe {
        raw::mbarrier_inval(space::SharedCta, bar)
    }
}
