//! The memory of a reduction is declared by the kernel, and not made from an address.

use ptx::group::Cta;
use ptx::reduce::ReduceMemory;

#[cfg(fixed)]
ptx::shared_memory! { pub struct Smem { partials: ReduceMemory<f32> } }

#[cfg(not(fixed))]
pub fn kernel(cta: &Cta, value: f32) -> f32 {
    let mut partials: ReduceMemory<f32> = ReduceMemory { now: 0, next: 128, _values: core::marker::PhantomData };
    partials.reduce_add(cta, value)
}

#[cfg(fixed)]
pub fn kernel(cta: &Cta, mut smem: Smem, value: f32) -> f32 {
    smem.partials.reduce_add(cta, value)
}
