//! The memory of a reduction is declared by the kernel, and not made from an address.

use ptx::launch::Cta;
use ptx::reduce::ReduceMemory;

ptx::shared_memory! { pub struct Smem { partials: ReduceMemory<f32> } }

pub fn kernel(cta: &Cta, mut smem: Smem, value: f32) -> f32 {
    smem.partials.reduce_add(cta, value)
}
