//! A barrier comes from the memory that the kernel declares, which has each barrier number once.

use core::marker::PhantomData;

use ptx::barrier::NamedBarrier;
use ptx::group::Cta;

#[cfg(fixed)]
ptx::shared_memory! {
    pub struct Smem { half: NamedBarrier<1, 64> }
}

#[cfg(not(fixed))]
pub fn kernel(cta: &Cta) {
    let half: NamedBarrier<1, 64> = NamedBarrier { _thread: PhantomData };
    half.sync(&cta.warp());
}

#[cfg(fixed)]
pub fn kernel(cta: &Cta, smem: Smem) {
    smem.half.sync(&cta.warp());
}
