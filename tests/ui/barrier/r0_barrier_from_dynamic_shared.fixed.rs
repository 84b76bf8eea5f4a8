//! A barrier is a number that a CTA has once, not bytes: `DynamicShared` could hand it out again and again.

use ptx::barrier::NamedBarrier;
use ptx::launch::Cta;

ptx::shared_memory! {
    pub struct Smem { half: NamedBarrier<1, 64> }
}

pub fn kernel(cta: &Cta, smem: Smem) {
    smem.half.sync(&cta.warp());
}
