//! Only the qualifiers of PTX are accepted.

use ptx::qualifier::{Qualifier, arrivals, scope, sem, space};
use ptx::raw;

#[cfg(not(fixed))]
#[derive(Clone, Copy)]
pub struct Gpu;

#[cfg(not(fixed))]
impl Qualifier for Gpu {
    const PTX: &'static str = ".gpu";
    const ID: u8 = 0;
}

pub fn kernel(bar: u32) -> u64 {
    // SAFETY: the example assumes that `bar` is a valid mbarrier.
    #[cfg(not(fixed))]
    unsafe {
        raw::mbarrier_arrive(sem::Release, Gpu, space::SharedCta, bar, arrivals::One)
    }
    // SAFETY: the example assumes that `bar` is a valid mbarrier.
    #[cfg(fixed)]
    unsafe {
        raw::mbarrier_arrive(sem::Release, scope::Cluster, space::SharedCta, bar, arrivals::One)
    }
}
