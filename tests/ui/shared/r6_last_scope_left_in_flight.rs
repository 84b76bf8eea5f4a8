//! The last scope also ends only when no copy uses its memory.

use ptx::bulk;
use ptx::cp_async;
use ptx::global::{GlobalTile, GlobalTileMut};
use ptx::group::Cta;
use ptx::shared::SharedArray;

pub fn stored(cta: Cta, memory: SharedArray<f32, 64>, to: GlobalTileMut<f32, 64>) {
    cta.finish(memory, |cta, tile| {
        let tile = tile.write(cta, |_| 1.0).to_async().sync(cta);
        #[cfg(not(fixed))]
        {
            bulk::store(cta, tile, to).commit(cta)
        }
        #[cfg(fixed)]
        {
            bulk::store(cta, tile, to).commit(cta).wait_read(cta).sync(cta).end()
        }
    });
}

pub fn never_committed(cta: Cta, memory: SharedArray<f32, 64>, to: GlobalTileMut<f32, 64>) {
    cta.finish(memory, |cta, tile| {
        let tile = tile.write(cta, |_| 1.0).to_async().sync(cta);
        #[cfg(not(fixed))]
        {
            bulk::store(cta, tile, to).wait_read(cta).end()
        }
        #[cfg(fixed)]
        {
            bulk::store(cta, tile, to).commit(cta).wait_read(cta).end()
        }
    });
}

pub fn loaded(cta: Cta, memory: SharedArray<f32, 64>, from: GlobalTile<f32, 64>) {
    #[cfg(not(fixed))]
    cta.finish(memory, |cta, tile| cp_async::load(cta, tile, from).commit(cta).end());
    #[cfg(fixed)]
    cta.finish(memory, |cta, tile| cp_async::load(cta, tile, from).commit(cta).wait().end().0);
}

pub fn given_back(cta: Cta, memory: SharedArray<f32, 64>) {
    #[cfg(not(fixed))]
    cta.finish(memory, |_, tile| tile);
    #[cfg(fixed)]
    cta.finish(memory, |_, tile| tile.end());
}
