//! A whole warp writes a tensor map.

use ptx::group::Cta;
use ptx::shared::{Free, Shared};
use ptx::tensor::{self, Box2, TensorMap, TensorMapDraft, TensorMapSlot};

pub fn draft<'s>(
    cta: &mut Cta,
    memory: Shared<'s, u64, 16, Free>,
    map: TensorMap<f32, Box2<64, 32>>,
    slot: TensorMapSlot,
) -> Shared<'s, u64, 16, Free> {
    #[cfg(not(fixed))]
    {
        cta.invoke_one(memory, |thread, memory| {
            // SAFETY: the draft describes the tensor of `map`, and all threads make this call.
            unsafe { tensor::draft(thread, memory, &map).publish(thread, slot).sync(thread) }.0
        })
        .sync(cta)
    }
    #[cfg(fixed)]
    {
        cta.invoke_warp(memory, |warp, memory| {
            // SAFETY: the draft describes the tensor of `map`, and all threads make this call.
            unsafe { tensor::draft(warp, memory, &map).publish(warp, slot).sync(warp) }.0
        })
        .sync(cta)
    }
}

pub fn used_before_the_barrier(cta: &Cta, draft: TensorMapDraft<'_, f32, Box2<64, 32>>, slot: TensorMapSlot) {
    // SAFETY: the draft describes the tensor of its map, and all threads make this call.
    #[cfg(not(fixed))]
    let released = unsafe { draft.publish(cta, slot) }.1;
    // SAFETY: the draft describes the tensor of its map, and all threads make this call.
    #[cfg(fixed)]
    let released = unsafe { draft.publish(cta, slot) }.sync(cta).1;
    _ = released.acquire(cta);
}
