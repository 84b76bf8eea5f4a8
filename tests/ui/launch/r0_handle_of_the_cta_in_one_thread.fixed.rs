//! A handle of the CTA needs all threads: one thread alone makes no call on it.

use ptx::bulk;
use ptx::global::{GlobalTile, GlobalTileMut};
use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::shared::{Fenced, Free, Loaded, Shared};

pub fn release<'s>(cta: &mut Cta, mine: Shared<'s, f32, 64, Free>, of_all: Shared<'s, f32, 64, Loaded>) {
    _ = cta.invoke_one(mine, |_, mine| mine);
    _ = of_all.release(cta);
}

pub fn load<'s>(cta: &mut Cta, tile: Shared<'s, f32, 64, Free>, bar: Mbarrier<Uninit>, src: GlobalTile<f32, 64>) {
    _ = cta.invoke_one((tile, bar), |thread, (tile, bar)| {
        let (bar, tile, _) = bulk::load(thread, bar.init(thread), tile, src).wait(thread);
        (tile.release(thread), bar.inval(thread))
    });
}

pub fn store<'s>(
    cta: &mut Cta,
    mine: Shared<'s, f32, 64, Free>,
    of_all: Shared<'s, f32, 64, Fenced>,
    to: GlobalTileMut<f32, 64>,
) {
    _ = cta.invoke_one((mine, of_all), |thread, (mine, of_all)| {
        let (of_all, _) = bulk::store(thread, of_all, to).commit(thread).wait_read(thread);
        (mine, of_all)
    });
}

pub fn with_the_cta<'s>(cta: &mut Cta, tile: Shared<'s, f32, 64, Fenced>, to: GlobalTileMut<f32, 64>) {
    _ = cta.invoke_one(tile, |thread, tile| bulk::store(thread, tile, to).commit(thread).wait_read(thread).0);
}

pub fn load_with_the_cta<'s>(cta: &mut Cta, tile: Shared<'s, f32, 64, Free>, bar: Mbarrier<Uninit>, src: GlobalTile<f32, 64>) {
    _ = cta.invoke_one((tile, bar), |thread, (tile, bar)| {
        let (bar, tile, _) = bulk::load(thread, bar.init(thread), tile, src).wait(thread);
        (tile.release(thread), bar.inval(thread))
    });
}
