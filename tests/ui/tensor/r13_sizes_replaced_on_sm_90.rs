//! `tensormap.replace` needs `sm_90a` or later.

use ptx::group::Cta;
use ptx::tensor::{Box2, TensorMapDraft};

#[cfg(not(fixed))]
pub fn kernel(cta: &Cta, draft: TensorMapDraft<'_, f32, Box2<64, 32>>) {
    let draft = draft.global_dim(cta, ptx::qualifier::ord::D0, 4096);
    _ = draft.global_stride(cta, ptx::qualifier::ord::D0, 16384);
}

#[cfg(fixed)]
pub fn kernel(cta: &Cta, draft: TensorMapDraft<'_, f32, Box2<64, 32>>, address: *const f32) {
    _ = (draft, cta, address);
}
