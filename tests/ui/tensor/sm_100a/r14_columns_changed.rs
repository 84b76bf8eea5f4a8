//! Fields are replaced in tensor maps of the mode `.tile` only.

use ptx::group::Cta;
use ptx::tensor::{Box4, Im2col4, TensorMapDraft};

#[cfg(not(fixed))]
pub fn kernel(cta: &Cta, draft: TensorMapDraft<'_, f32, Im2col4<32, 64>>, address: *const f32) {
    _ = draft.global_address(cta, address);
}

#[cfg(fixed)]
pub fn kernel(cta: &Cta, draft: TensorMapDraft<'_, f32, Box4<32, 8, 8, 1>>, address: *const f32) {
    _ = draft.global_address(cta, address);
}
