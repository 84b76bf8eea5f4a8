//! A draft returns its memory when it is published.

use ptx::group::Cta;
use ptx::shared::SharedArray;
use ptx::tensor::{self, Box2, TensorMap, TensorMapSlot};

pub fn kernel(cta: &mut Cta, map: TensorMap<f32, Box2<64, 32>>, slot: TensorMapSlot, memory: SharedArray<u64, 16>) {
    #[cfg(not(fixed))]
    cta.async_scope(memory, |cta, memory| tensor::draft(cta, memory, &map));
    #[cfg(not(fixed))]
    let _ = slot;
    #[cfg(fixed)]
    cta.async_scope(memory, |cta, memory| {
        let draft = tensor::draft(cta, memory, &map);
        // SAFETY: the draft describes the tensor of `map`, and all threads make this call.
        let (memory, published) = unsafe { draft.publish(cta, slot).sync(cta) };
        _ = published.acquire(cta);
        memory
    });
}
