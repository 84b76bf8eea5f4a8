//! An operand in shared memory is swizzled.

use ptx::bf16;
use ptx::group::Cta;
use ptx::pipeline::PipelineMemory;
use ptx::qualifier::swizzle_mode;
use ptx::tensor::Box2;
use ptx::wgmma::Tile;

#[cfg(not(fixed))]
type Rows = Box2<64, 64>;
#[cfg(fixed)]
type Rows = Box2<64, 64, swizzle_mode::B128>;

ptx::shared_memory! { struct Smem { stages: PipelineMemory<Tile<bf16, Rows>, 4> } }

#[ptx::kernel(threads = 128)]
pub fn kernel(cta: Cta, #[shared] smem: Smem) {
    _ = (cta, smem.stages);
}
