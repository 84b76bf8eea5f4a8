//! A slot holds one map: copies may be using it.

use ptx::launch::Cta;
use ptx::shared::SharedArray;
use ptx::tensor::{self, Box2, TensorMapSlot, TensorMap};

pub fn kernel(
    cta: &mut Cta,
    map: TensorMap<f32, Box2<64, 32>>,
    slot: TensorMapSlot,
    another: TensorMapSlot,
    memory: SharedArray<u64, 16>,
) {
    cta.async_scope(memory, |cta, memory| {
        // SAFETY: they describe what `map` does; one place of the program.
        let (memory, first) = unsafe { tensor::draft(cta, memory, &map).publish(cta, slot) };
        let (memory, second) = unsafe { tensor::draft(cta, memory, &map).publish(cta, another) };
        _ = (first.acquire(cta), second.acquire(cta));
        memory
    });
}
