//! An element type may change what a copy does to an element, not how large it is.

use ptx::launch::Cta;
use ptx::qualifier::elemtype;
use ptx::tensor::{Box2, TensorMapDraft};

pub fn kernel(cta: &Cta, draft: TensorMapDraft<'_, f32, Box2<64, 32>>) {
    _ = draft.elemtype(cta, elemtype::Tf32);
}
