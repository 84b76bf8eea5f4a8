//! A tuple of handles does not replace the fence and the barrier that a copy, or another thread, needs to read stores.

use ptx::bulk;
use ptx::bulk::Split as _;
use ptx::global::GlobalTileMut;
use ptx::group::{Cta, Together};
use ptx::shared::{Free, Shared};

pub fn kernel(cta: &Cta, tile: Shared<'_, u32, 64, Free>, to: GlobalTileMut<u32, 64>) -> Option<u32> {
    let written = tile.write(cta, |i| i as u32);
    #[cfg(not(fixed))]
    let (tile, _to) = (written, to).sync(cta);
    #[cfg(fixed)]
    let (tile, _to) = bulk::store(cta, written.to_async().sync(cta), to).commit(cta).wait(cta).sync(cta);
    tile.into_loaded().get(63)
}
