//! `mbarrier.arrive` releases; the wait acquires.

use ptx::qualifier::{arrivals, scope, sem, space};
use ptx::raw;

pub fn kernel(bar: u32) -> u64 {
    // SAFETY: the example assumes that `bar` is a valid mbarrier.
    #[cfg(not(fixed))]
    unsafe {
        raw::mbarrier_arrive(sem::Acquire, scope::Cta, space::SharedCta, bar, arrivals::One)
    }
    // SAFETY: the example assumes that `bar` is a valid mbarrier.
    #[cfg(fixed)]
    unsafe {
        raw::mbarrier_arrive(sem::Release, scope::Cta, space::SharedCta, bar, arrivals::One)
    }
}
