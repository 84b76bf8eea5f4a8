//! NaN is a value of floating-point elements.

use ptx::launch::Cta;
use ptx::qualifier::fill_mode;
use ptx::tensor::{Box2, Draft};

pub fn kernel(cta: &Cta, draft: Draft<'_, i32, Box2<64, 32>>) {
    _ = draft.fill_mode(cta, fill_mode::Zero);
}
