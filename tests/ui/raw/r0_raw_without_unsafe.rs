//! A raw instruction is unsafe: it has a contract.

use ptx::qualifier::space;
use ptx::raw;

pub fn kernel(bar: u32) {
    raw::mbarrier_inval(space::SharedCta, bar);
}
