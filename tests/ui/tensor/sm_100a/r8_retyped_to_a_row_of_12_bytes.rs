//! A draft becomes a tensor map of boxes that copies can move.

use ptx::group::Cta;
use ptx::tensor::{Box2, TensorMapDraft};

pub fn kernel(cta: &Cta, draft: TensorMapDraft<'_, f32, Box2<64, 32>>) {
    #[cfg(not(fixed))]
    let _ = draft.retype::<f32, Box2<3, 32>>(cta);
    #[cfg(fixed)]
    let _ = draft.retype::<f32, Box2<4, 32>>(cta);
}
