//! A barrier number exists once per CTA. `DynamicShared` could return it many times, so a barrier is no place there.

use ptx::barrier::NamedBarrier;
use ptx::launch::Cta;

ptx::shared_memory! {
    pub struct Smem { half: NamedBarrier<1, 64> }
}

pub fn kernel(cta: &Cta, smem: Smem) {
    smem.half.sync(&cta.warp());
}
