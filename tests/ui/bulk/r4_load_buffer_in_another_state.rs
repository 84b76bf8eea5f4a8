//! A `LoadBuffer` is read when its load has come, stored when it is fenced, and loaded again when it is released.

use ptx::bulk::{self, LoadBuffer, LoadTile};
use ptx::global::{GlobalTile, GlobalTileMut};
use ptx::group::{AfterSync, Cta};
use ptx::shared::{Fenced, Free, Loaded, Published, Shared, Written};

type Buffer = LoadBuffer<f32, 64>;
type Tile<'s, State> = LoadTile<'s, f32, 64, State>;

pub fn read_before_its_load(cta: &mut Cta, memory: Buffer, from: GlobalTile<f32, 64>) {
    cta.async_scope(memory, |cta, buffer| {
        #[cfg(not(fixed))]
        let _first = buffer.get(0);
        let tile = buffer.load(cta, from).wait(cta);
        #[cfg(fixed)]
        let _first = tile.get(0);
        tile.release().sync(cta)
    });
}

pub fn read_in_flight(cta: &mut Cta, memory: Buffer, from: GlobalTile<f32, 64>) {
    cta.async_scope(memory, |cta, buffer| {
        let loading = buffer.load(cta, from);
        #[cfg(not(fixed))]
        let _first = loading.get(0);
        loading.wait(cta).release().sync(cta)
    });
}

pub fn left_in_flight(cta: &mut Cta, memory: Buffer, from: GlobalTile<f32, 64>) {
    cta.async_scope(memory, |cta, buffer| {
        #[cfg(not(fixed))]
        {
            buffer.load(cta, from)
        }
        #[cfg(fixed)]
        {
            buffer.load(cta, from).wait(cta).release().sync(cta)
        }
    });
}

pub fn updated_before_its_load<'s>(
    cta: &Cta,
    buffer: Tile<'s, Free>,
    from: GlobalTile<f32, 64>,
) -> Tile<'s, Written> {
    #[cfg(not(fixed))]
    {
        _ = from;
        buffer.update(cta, |_, x| x + 1.0)
    }
    #[cfg(fixed)]
    {
        buffer.load(cta, from).wait(cta).update(cta, |_, x| x + 1.0)
    }
}

pub fn written_while_it_is_read<'s>(cta: &Cta, tile: Tile<'s, Loaded>) -> Tile<'s, Written> {
    #[cfg(not(fixed))]
    {
        tile.write_chunks::<1>(cta, |_| [[0.0; 4]])
    }
    #[cfg(fixed)]
    {
        tile.release().sync(cta).write_chunks::<1>(cta, |_| [[0.0; 4]])
    }
}

pub fn fenced_without_stores<'s>(cta: &Cta, tile: Tile<'s, Loaded>) -> Tile<'s, Fenced> {
    #[cfg(not(fixed))]
    {
        tile.to_async().sync(cta)
    }
    #[cfg(fixed)]
    {
        tile.update(cta, |_, x| x + 1.0).to_async().sync(cta)
    }
}

pub fn released_with_stores<'s>(
    cta: &Cta,
    tile: Tile<'s, Written>,
    to: GlobalTileMut<f32, 64>,
) -> Tile<'s, Free> {
    #[cfg(not(fixed))]
    {
        _ = to;
        tile.release().sync(cta)
    }
    #[cfg(fixed)]
    {
        bulk::store(cta, tile.to_async().sync(cta), to).commit(cta).wait_read(cta).sync(cta)
    }
}

pub fn stored_without_a_fence(cta: &Cta, tile: Tile<'_, Written>, to: GlobalTileMut<f32, 64>) {
    #[cfg(not(fixed))]
    let _ = bulk::store(cta, tile, to);
    #[cfg(fixed)]
    let _ = bulk::store(cta, tile.to_async().sync(cta), to).commit(cta).wait_read(cta).sync(cta);
}

pub fn handles_used_before_the_load<'s>(
    cta: &Cta,
    (buffer, from): (Tile<'s, Free>, GlobalTile<f32, 64>),
    published: AfterSync<Shared<'s, f32, 64, Published>>,
) -> Option<f32> {
    #[cfg(not(fixed))]
    {
        let loading = buffer.load_with(cta, from, published);
        let first = published.sync(cta).get(0);
        _ = loading.wait(cta);
        first
    }
    #[cfg(fixed)]
    {
        let (_full, published) = buffer.load_with(cta, from, published).wait(cta);
        published.get(0)
    }
}

pub fn loaded_again_while_it_is_read(cta: &mut Cta, memory: Buffer, from: GlobalTile<f32, 64>) {
    cta.async_scope(memory, |cta, buffer| {
        let tile = buffer.load(cta, from).wait(cta);
        #[cfg(not(fixed))]
        let tile = tile.load(cta, from).wait(cta);
        #[cfg(fixed)]
        let tile = tile.release().sync(cta).load(cta, from).wait(cta);
        tile.release().sync(cta)
    });
}
