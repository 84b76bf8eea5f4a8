//! A handle of the CTA needs all threads: one thread alone makes no call on it.

use ptx::bulk;
use ptx::global::{GlobalTile, GlobalTileMut};
use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Ready};
use ptx::shared::{Fenced, Free, Loaded, Shared};

pub fn release<'s>(cta: &mut Cta, mine: Shared<'s, f32, 64, Free>, of_all: Shared<'s, f32, 64, Loaded>) {
    _ = cta.invoke_one(mine, |thread, mine| {
        _ = of_all.release(thread);
        mine
    });
}

pub fn load<'s>(cta: &mut Cta, tile: Shared<'s, f32, 64, Free>, bar: Mbarrier<Ready>, src: GlobalTile<f32, 64>) {
    _ = cta.invoke_one(tile, |thread, tile| {
        let (_, tile, _) = bulk::load(thread, bar, tile, src).wait(thread);
        tile.release(thread)
    });
}

pub fn store<'s>(
    cta: &mut Cta,
    mine: Shared<'s, f32, 64, Free>,
    of_all: Shared<'s, f32, 64, Fenced>,
    to: GlobalTileMut<f32, 64>,
) {
    _ = cta.invoke_one(mine, |thread, mine| {
        _ = bulk::store(thread, of_all, to).commit(thread).wait_read(thread);
        mine
    });
}

pub fn with_the_cta<'s>(cta: &mut Cta, tile: Shared<'s, f32, 64, Fenced>, to: GlobalTileMut<f32, 64>) {
    _ = cta.invoke_one(tile, |_, tile| bulk::store(cta, tile, to).commit(cta).wait_read(cta).0);
}

pub fn load_with_the_cta<'s>(cta: &mut Cta, tile: Shared<'s, f32, 64, Free>, bar: Mbarrier<Ready>, src: GlobalTile<f32, 64>) {
    _ = cta.invoke_one(tile, |_, tile| bulk::load(cta, bar, tile, src).wait(cta).1.release(cta));
}
