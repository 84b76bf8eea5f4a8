//! A draft is published before it is acquired.

use ptx::launch::Cta;
use ptx::tensor::{Box2, TensorMapDraft, TensorMapSlot};

pub fn kernel(cta: &Cta, draft: TensorMapDraft<'_, f32, Box2<64, 32>>, slot: TensorMapSlot) {
    let _ = slot;
    let _map = draft.acquire(cta);
}
