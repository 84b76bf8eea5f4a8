//! A whole warp writes a tensor map.

use ptx::launch::Cta;
use ptx::shared::{Free, Shared};
use ptx::tensor::{self, Box2, TensorMapDraft, TensorMapSlot, TensorMap};

pub fn draft<'s>(
    cta: &mut Cta,
    memory: Shared<'s, u64, 16, Free>,
    map: TensorMap<f32, Box2<64, 32>>,
    slot: TensorMapSlot,
) -> Shared<'s, u64, 16, Free> {
    cta.invoke_warp(memory, |warp, memory| {
        // SAFETY: the draft describes the tensor of `map`, and all threads make this call.
        unsafe { tensor::draft(warp, memory, &map).publish(warp, slot) }.0
    })
}

pub fn used_before_the_barrier(cta: &Cta, draft: TensorMapDraft<'_, f32, Box2<64, 32>>, slot: TensorMapSlot) {
    // SAFETY: the draft describes the tensor of its map, and all threads make this call.
    let released = cta.sync_with(unsafe { draft.publish_at_sync(cta, slot) }).1;
    _ = released.acquire(cta);
}
