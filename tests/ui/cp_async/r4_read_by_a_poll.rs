//! A test for completion gives no access: only the wait returns the tiles.

use ptx::cp_async;
use ptx::global::GlobalTile;
use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Ready};
use ptx::shared::{Free, Shared};

pub fn kernel<'s>(cta: &Cta, tile: Shared<'s, f32, 1024, Free>, bar: Mbarrier<Ready>, src: GlobalTile<f32, 1024>) {
    let tracked = cp_async::load(cta, tile, src).arrive_on(cta, bar);
    while !tracked.is_complete() {}
    #[cfg(fixed)]
    let (_bar, (tile, _src)) = tracked.wait(cta);
    let _x = tile.get(0);
    #[cfg(not(fixed))]
    let (_bar, (_tile, _src)) = tracked.wait(cta);
}
