//! `tensormap.replace` needs `sm_90a` or later.

use ptx::group::Cta;
use ptx::tensor::{Box2, TensorMapDraft};

pub fn kernel(cta: &Cta, draft: TensorMapDraft<'_, f32, Box2<64, 32>>, address: *const f32) {
    #[cfg(not(fixed))]
    let _ = draft.global_address(cta, address);
    #[cfg(fixed)]
    let _ = (draft, cta, address);
}
