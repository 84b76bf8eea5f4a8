//! A swizzle has the width of a row: with a wider swizzle, the copy would write more than the box.

use ptx::group::Cta;
use ptx::qualifier::swizzle_mode;
use ptx::tensor::{Box2, TensorMapDraft};

pub fn kernel(cta: &Cta, draft: TensorMapDraft<'_, f32, Box2<16, 64>>) {
    #[cfg(not(fixed))]
    let _ = draft.swizzle_mode(cta, swizzle_mode::B128);
    #[cfg(fixed)]
    let _ = draft.swizzle_mode(cta, swizzle_mode::B64);
}
