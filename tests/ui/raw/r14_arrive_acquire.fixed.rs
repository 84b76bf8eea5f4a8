//! `mbarrier.arrive` releases; it is the wait that acquires.

use ptx::qualifier::{arrivals, scope, sem, space};
use ptx::raw;

pub fn kernel(bar: u32) -> u64 {
    // SAFETY: for the sake of the example, `bar` is a valid mbarrier.
    unsafe { raw::mbarrier_arrive(sem::Release, scope::Cta, space::SharedCta, bar, arrivals::One) }
}
