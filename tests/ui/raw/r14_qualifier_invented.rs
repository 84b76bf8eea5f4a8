//! The qualifiers are those of PTX.

use ptx::qualifier::{Qualifier, arrivals, sem, space};
use ptx::raw;

#[derive(Clone, Copy)]
pub struct Gpu;

impl Qualifier for Gpu {
    const PTX: &'static str = ".gpu";
    const ID: u64 = 0;
}

pub fn kernel(bar: u32) -> u64 {
    // SAFETY: for the sake of the example, `bar` is a valid mbarrier.
    unsafe { raw::mbarrier_arrive(sem::Release, Gpu, space::SharedCta, bar, arrivals::One) }
}
