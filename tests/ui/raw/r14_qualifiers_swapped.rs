//! Qualifiers have the order of the PTX syntax.

use ptx::qualifier::{arrivals, scope, sem, space};
use ptx::raw;

pub fn kernel(bar: u32) -> u64 {
    // SAFETY: the example assumes that `bar` is a valid mbarrier.
    #[cfg(not(fixed))]
    unsafe {
        raw::mbarrier_arrive(scope::Cta, sem::Release, space::SharedCta, bar, arrivals::One)
    }
    // SAFETY: the example assumes that `bar` is a valid mbarrier.
    #[cfg(fixed)]
    unsafe {
        raw::mbarrier_arrive(sem::Release, scope::Cta, space::SharedCta, bar, arrivals::One)
    }
}
