//! The box has the size of the shared memory, however it is copied.

use ptx::cache_policy::{CacheHint, CachePolicy};
use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Ready};
use ptx::qualifier::op;
use ptx::shared::{Fenced, Free, Shared};
use ptx::tensor::{self, Box2, TensorMap, TensorReduceTile, TensorTileMut};

type Tile<'s, State> = Shared<'s, f32, 2048, State>;
#[cfg(not(fixed))]
type Map = Box2<64, 16>;
#[cfg(fixed)]
type Map = Box2<64, 32>;

pub fn load<'s>(cta: &Cta, tile: Tile<'s, Free>, bar: Mbarrier<Ready>, map: TensorMap<f32, Map>) {
    let policy = CachePolicy::evict_first();
    let _ = tensor::load(cta, bar, tile, map.box_at([0, 0]).cache_hint(policy)).wait(cta);
}

pub fn store<'s>(
    cta: &Cta,
    [a, b, c, d, e]: [Tile<'s, Fenced>; 5],
    [first, second]: [TensorTileMut<f32, Map>; 2],
    sums: TensorReduceTile<f32, Map>,
) {
    let policy = CachePolicy::evict_last();
    let group = tensor::reduce(cta, op::Add, a, sums).and(tensor::store(cta, b, first));
    let group = group.and(tensor::reduce(cta, op::Add, c, sums));
    let group = group.and(tensor::store(cta, d, second.cache_hint(policy)));
    let group = group.and(tensor::reduce(cta, op::Add, e, sums.cache_hint(policy)));
    let _ = group.commit(cta).wait(cta).sync(cta);
}
