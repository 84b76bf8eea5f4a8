//! A draft is published before it is acquired.

use ptx::launch::Cta;
use ptx::tensor::{Box2, Draft, MapSlot};

pub fn kernel(cta: &Cta, draft: Draft<'_, f32, Box2<64, 32>>, slot: MapSlot) {
    let _ = slot;
    let _map = draft.acquire(cta);
}
