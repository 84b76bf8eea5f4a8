//! A raw instruction is unsafe: it has a contract.

use ptx::qualifier::space;
use ptx::raw;

pub fn kernel(bar: u32) {
    // SAFETY: the example assumes that `bar` is a valid mbarrier, which no thread uses any more.
    unsafe { raw::mbarrier_inval(space::SharedCta, bar) }
}
