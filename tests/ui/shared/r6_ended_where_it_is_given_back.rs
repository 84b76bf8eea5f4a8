//! `end` gives memory up: a scope that returns its memory takes the handle.

use ptx::bulk::{self, LoadBuffer};
use ptx::global::{GlobalTile, GlobalTileMut};
use ptx::group::Cta;
use ptx::shared::SharedArray;

pub fn array(cta: &mut Cta, memory: SharedArray<f32, 64>, to: GlobalTileMut<f32, 64>) {
    cta.async_scope(memory, |cta, tile| {
        let stored =
            bulk::store(cta, tile.write(cta, |_| 1.0).to_async().sync(cta), to).commit(cta).wait_read(cta);
        #[cfg(not(fixed))]
        {
            stored.end()
        }
        #[cfg(fixed)]
        {
            stored.sync(cta)
        }
    });
}

pub fn load_buffer(cta: &mut Cta, memory: LoadBuffer<f32, 64>, from: GlobalTile<f32, 64>) {
    cta.async_scope(memory, |cta, buffer| {
        let tile = buffer.load(cta, from).wait(cta);
        #[cfg(not(fixed))]
        {
            tile.end()
        }
        #[cfg(fixed)]
        {
            tile.release().sync(cta)
        }
    });
}

pub fn before_the_barrier(cta: &mut Cta, memory: LoadBuffer<f32, 64>, from: GlobalTile<f32, 64>) {
    cta.async_scope(memory, |cta, buffer| {
        let tile = buffer.load(cta, from).wait(cta);
        #[cfg(not(fixed))]
        {
            tile.release()
        }
        #[cfg(fixed)]
        {
            tile.release().sync(cta)
        }
    });
}
