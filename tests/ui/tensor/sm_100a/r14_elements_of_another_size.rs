//! A new element type may change the operation of a copy, but not the size of the elements.

use ptx::group::Cta;
use ptx::qualifier::elemtype;
use ptx::tensor::{Box2, TensorMapDraft};

pub fn kernel(cta: &Cta, draft: TensorMapDraft<'_, f32, Box2<64, 32>>) {
    #[cfg(not(fixed))]
    let _ = draft.elemtype(cta, elemtype::F16);
    #[cfg(fixed)]
    let _ = draft.elemtype(cta, elemtype::Tf32);
}
