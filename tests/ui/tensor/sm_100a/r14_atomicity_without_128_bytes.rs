//! Only the swizzle of 128 bytes has an atomicity of more than 16 bytes.

use ptx::group::Cta;
use ptx::qualifier::swizzle_atomicity;
use ptx::tensor::{Box2, TensorMapDraft};

#[cfg(not(fixed))]
pub fn kernel(cta: &Cta, draft: TensorMapDraft<'_, f32, Box2<16, 64>>) {
    _ = draft.swizzle_atomicity(cta, swizzle_atomicity::B32);
}

#[cfg(fixed)]
pub fn kernel(cta: &Cta, draft: TensorMapDraft<'_, f32, Box2<32, 64>>) {
    _ = draft.swizzle_atomicity(cta, swizzle_atomicity::B32);
}
