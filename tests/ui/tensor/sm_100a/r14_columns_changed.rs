//! Fields are replaced in tensor maps of the mode `.tile` only.

use ptx::launch::Cta;
use ptx::tensor::{TensorMapDraft, Im2col4};

pub fn kernel(cta: &Cta, draft: TensorMapDraft<'_, f32, Im2col4<32, 64>>, address: *const f32) {
    _ = draft.global_address(cta, address);
}
