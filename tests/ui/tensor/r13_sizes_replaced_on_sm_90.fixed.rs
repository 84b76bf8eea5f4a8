//! Fields of a tensor map are replaced from `sm_90a` on.

use ptx::launch::Cta;
use ptx::tensor::{Box2, TensorMapDraft};

pub fn kernel(cta: &Cta, draft: TensorMapDraft<'_, f32, Box2<64, 32>>, address: *const f32) {
    _ = (draft, cta, address);
}
