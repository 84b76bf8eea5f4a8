//! A tensor map has one size per dimension, and one stride fewer.

use ptx::group::Cta;
use ptx::qualifier::ord;
use ptx::tensor::{Box2, TensorMapDraft};

pub fn kernel(cta: &Cta, draft: TensorMapDraft<'_, f32, Box2<64, 32>>) {
    #[cfg(not(fixed))]
    let draft = draft.global_dim(cta, ord::D2, 1024);
    #[cfg(not(fixed))]
    let _ = draft.global_stride(cta, ord::D1, 4096);
    #[cfg(fixed)]
    let draft = draft.global_dim(cta, ord::D1, 1024);
    #[cfg(fixed)]
    let _ = draft.global_stride(cta, ord::D0, 4096);
}
