//! Qualifiers stand in the order of the syntax.

use ptx::qualifier::{arrivals, scope, sem, space};
use ptx::raw;

pub fn kernel(bar: u32) -> u64 {
    // SAFETY: for the sake of the example, `bar` is a valid mbarrier.
    unsafe { raw::mbarrier_arrive(scope::Cta, sem::Release, space::SharedCta, bar, arrivals::One) }
}
