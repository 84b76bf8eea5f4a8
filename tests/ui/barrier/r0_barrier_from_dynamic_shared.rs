//! A barrier number exists once per CTA. `DynamicShared` could return it many times, so a barrier is no place there.

use ptx::barrier::NamedBarrier;
use ptx::group::Cta;
use ptx::shared::DynamicShared;

#[cfg(fixed)]
ptx::shared_memory! {
    pub struct Smem { half: NamedBarrier<1, 64> }
}

#[cfg(not(fixed))]
pub fn kernel(cta: &Cta, dynamic: DynamicShared) {
    let (half, _) = dynamic.take::<NamedBarrier<1, 64>>();
    half.sync(&cta.warp());
}

#[cfg(fixed)]
pub fn kernel(cta: &Cta, smem: Smem) {
    smem.half.sync(&cta.warp());
}
