//! A draft is published before it is acquired.

use ptx::group::Cta;
use ptx::tensor::{Box2, TensorMapDraft, TensorMapSlot};

pub fn kernel(cta: &Cta, draft: TensorMapDraft<'_, f32, Box2<64, 32>>, slot: TensorMapSlot) {
    #[cfg(not(fixed))]
    let _ = slot;
    #[cfg(not(fixed))]
    let _map = draft.acquire(cta);
    // SAFETY: the draft describes the tensor that it was made of, and all threads make this call.
    #[cfg(fixed)]
    let (_memory, released) = unsafe { draft.publish(cta, slot).sync(cta) };
    #[cfg(fixed)]
    let _map = released.acquire(cta);
}
