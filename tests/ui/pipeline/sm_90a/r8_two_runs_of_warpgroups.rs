//! A kernel has one run of warpgroups.

use ptx::group::Cta;
use ptx::pipeline::WarpgroupBarriers;

#[cfg(not(fixed))]
ptx::shared_memory! { struct Smem { first: WarpgroupBarriers<2>, second: WarpgroupBarriers<1> } }
#[cfg(fixed)]
ptx::shared_memory! { struct Smem { first: WarpgroupBarriers<2> } }

#[ptx::kernel(threads = 384)]
pub fn kernel(cta: Cta, #[shared] smem: Smem) {
    _ = (cta, smem.first);
}
