//! A draft becomes a map of boxes that exist.

use ptx::launch::Cta;
use ptx::tensor::{Box2, TensorMapDraft};

pub fn kernel(cta: &Cta, draft: TensorMapDraft<'_, f32, Box2<64, 32>>) {
    _ = draft.retype::<f32, Box2<4, 32>>(cta);
}
