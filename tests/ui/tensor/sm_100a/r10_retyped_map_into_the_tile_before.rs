//! A retyped draft is a tensor map of the new boxes only.

use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Ready};
use ptx::shared::{Free, Shared};
use ptx::tensor::{self, Box2, TensorMapDraft, TensorMapSlot};

type Tile<'s, const N: usize> = Shared<'s, f32, N, Free>;

#[cfg(not(fixed))]
pub fn body<'s>(
    cta: &Cta,
    draft: TensorMapDraft<'s, f32, Box2<64, 32>>,
    tile: Tile<'s, 2048>,
    bar: Mbarrier<Ready>,
    slot: TensorMapSlot,
) {
    let draft = draft.retype::<f32, Box2<64, 16>>(cta);
    // SAFETY: the draft describes the same tensor, and all threads make this call.
    let (_memory, published) = unsafe { draft.publish(cta, slot).sync(cta) };
    _ = tensor::load(cta, bar, tile, published.acquire(cta).box_at([0, 0]));
}

#[cfg(fixed)]
pub fn body<'s>(
    cta: &Cta,
    draft: TensorMapDraft<'s, f32, Box2<64, 32>>,
    tile: Tile<'s, 1024>,
    bar: Mbarrier<Ready>,
    slot: TensorMapSlot,
) {
    let draft = draft.retype::<f32, Box2<64, 16>>(cta);
    // SAFETY: the draft describes the same tensor, and all threads make this call.
    let (_memory, published) = unsafe { draft.publish(cta, slot).sync(cta) };
    _ = tensor::load(cta, bar, tile, published.acquire(cta).box_at([0, 0]));
}
