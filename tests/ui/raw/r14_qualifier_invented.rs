//! Only the qualifiers of PTX are accepted.

use ptx::qualifier::{Qualifier, arrivals, sem, space};
use ptx::raw;

#[derive(Clone, Copy)]
pub struct Gpu;

impl Qualifier for Gpu {
    const PTX: &'static str = ".gpu";
    const ID: u8 = 0;
}

pub fn kernel(bar: u32) -> u64 {
    // SAFETY: the example assumes that `bar` is a valid mbarrier.
    unsafe { raw::mbarrier_arrive(sem::Release, Gpu, space::SharedCta, bar, arrivals::One) }
}
