//! A raw instruction has a contract.

use ptx::qualifier::space;
use ptx::raw;

pub fn kernel(bar: u32) {
    // SAFETY: for the sake of the example, `bar` is a valid mbarrier that nobody uses any more.
    unsafe { raw::mbarrier_inval(space::SharedCta, bar) }
}
