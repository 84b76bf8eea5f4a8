//! Fields are replaced in tensor maps of the mode `.tile` only.

use ptx::launch::Cta;
use ptx::tensor::{Box4, TensorMapDraft};

pub fn kernel(cta: &Cta, draft: TensorMapDraft<'_, f32, Box4<32, 8, 8, 1>>, address: *const f32) {
    _ = draft.global_address(cta, address);
}
