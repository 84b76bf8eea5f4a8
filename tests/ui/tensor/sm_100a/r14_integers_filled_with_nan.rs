//! NaN fills floating-point elements only.

use ptx::group::Cta;
use ptx::qualifier::fill_mode;
use ptx::tensor::{Box2, TensorMapDraft};

pub fn kernel(cta: &Cta, draft: TensorMapDraft<'_, i32, Box2<64, 32>>) {
    #[cfg(not(fixed))]
    let _ = draft.fill_mode(cta, fill_mode::OobNan);
    #[cfg(fixed)]
    let _ = draft.fill_mode(cta, fill_mode::Zero);
}
