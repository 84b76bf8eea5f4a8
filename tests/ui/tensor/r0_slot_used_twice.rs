//! A slot holds one tensor map: copies may be using the map.

use ptx::group::Cta;
use ptx::shared::SharedArray;
use ptx::tensor::{self, Box2, TensorMap, TensorMapSlot};

#[cfg(not(fixed))]
pub fn kernel(cta: &mut Cta, map: TensorMap<f32, Box2<64, 32>>, slot: TensorMapSlot, memory: SharedArray<u64, 16>) {
    cta.async_scope(memory, |cta, memory| {
        // SAFETY: the drafts describe the tensor of `map`, and all threads make these calls.
        let (memory, first) = unsafe { tensor::draft(cta, memory, &map).publish(cta, slot).sync(cta) };
        let (memory, second) = unsafe { tensor::draft(cta, memory, &map).publish(cta, slot).sync(cta) };
        _ = (first.acquire(cta), second.acquire(cta));
        memory
    });
}

#[cfg(fixed)]
pub fn kernel(
    cta: &mut Cta,
    map: TensorMap<f32, Box2<64, 32>>,
    slot: TensorMapSlot,
    another: TensorMapSlot,
    memory: SharedArray<u64, 16>,
) {
    cta.async_scope(memory, |cta, memory| {
        // SAFETY: the drafts describe the tensor of `map`, and all threads make these calls.
        let (memory, first) = unsafe { tensor::draft(cta, memory, &map).publish(cta, slot).sync(cta) };
        let (memory, second) = unsafe { tensor::draft(cta, memory, &map).publish(cta, another).sync(cta) };
        _ = (first.acquire(cta), second.acquire(cta));
        memory
    });
}
