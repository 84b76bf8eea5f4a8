//! A barrier comes from the memory that the kernel declares, which has each barrier number once.

use ptx::barrier::NamedBarrier;
use ptx::launch::Cta;

ptx::shared_memory! {
    pub struct Smem { half: NamedBarrier<1, 64> }
}

pub fn kernel(cta: &Cta, smem: Smem) {
    smem.half.sync(&cta.warp());
}
