//! Of the swizzles, that of 128 bytes alone keeps more than 16 bytes together.

use ptx::launch::Cta;
use ptx::qualifier::swizzle_atomicity;
use ptx::tensor::{Box2, TensorMapDraft};

pub fn kernel(cta: &Cta, draft: TensorMapDraft<'_, f32, Box2<16, 64>>) {
    _ = draft.swizzle_atomicity(cta, swizzle_atomicity::B32);
}
