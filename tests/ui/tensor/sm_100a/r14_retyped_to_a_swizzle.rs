//! `retype` makes a map without a swizzle; `swizzle_mode` gives the map and its type a swizzle.

use ptx::group::Cta;
use ptx::qualifier::swizzle_mode;
use ptx::tensor::{Box2, TensorMapDraft};

type Swizzled = Box2<32, 32, swizzle_mode::B128>;

pub fn kernel<'s>(cta: &Cta, draft: TensorMapDraft<'s, f32, Box2<64, 32>>) -> TensorMapDraft<'s, f32, Swizzled> {
    #[cfg(not(fixed))]
    {
        draft.retype::<f32, Swizzled>(cta)
    }
    #[cfg(fixed)]
    {
        draft.retype::<f32, Box2<32, 32>>(cta).swizzle_mode(cta, swizzle_mode::B128)
    }
}
