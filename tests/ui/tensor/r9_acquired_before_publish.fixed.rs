//! A draft is published before it is acquired.

use ptx::launch::Cta;
use ptx::tensor::{Box2, TensorMapDraft, TensorMapSlot};

pub fn kernel(cta: &Cta, draft: TensorMapDraft<'_, f32, Box2<64, 32>>, slot: TensorMapSlot) {
    // SAFETY: the draft describes the tensor that it was made of, and all threads make this call.
    let (_memory, released) = unsafe { draft.publish(cta, slot) };
    let _map = released.acquire(cta);
}
