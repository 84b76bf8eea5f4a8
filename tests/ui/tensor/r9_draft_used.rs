//! A tensor map in shared memory is published before a copy uses it.

use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::shared::SharedArray;
use ptx::tensor::{self, Box2, TensorMap, TensorMapSlot};

pub fn kernel(
    cta: &mut Cta,
    map: TensorMap<f32, Box2<64, 32>>,
    slot: TensorMapSlot,
    memory: SharedArray<u64, 16>,
    tile: SharedArray<f32, 2048>,
    bar: Mbarrier<Uninit>,
) {
    cta.async_scope((memory, tile, bar), |cta, (memory, tile, bar)| {
        let draft = tensor::draft(cta, memory, &map);
        #[cfg(not(fixed))]
        let (bar, tile, _) = tensor::load(cta, bar, tile, draft.at([0, 0])).wait(cta);
        // SAFETY: the draft describes the tensor of `map`, and all threads make this call.
        let (memory, published) = unsafe { draft.publish(cta, slot).sync(cta) };
        #[cfg(not(fixed))]
        let _ = published;
        #[cfg(fixed)]
        let map = published.acquire(cta);
        #[cfg(fixed)]
        let (bar, tile, _) = tensor::load(cta, bar, tile, map.box_at([0, 0])).wait(cta);
        (memory, tile.release().sync(cta), bar)
    });
}
