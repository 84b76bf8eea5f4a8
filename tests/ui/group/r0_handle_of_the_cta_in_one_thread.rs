//! A handle of the CTA needs all threads: one thread alone makes no call on it.

use ptx::bulk;
use ptx::global::{GlobalTile, GlobalTileMut};
use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Ready, Uninit};
use ptx::shared::{Fenced, Free, Loaded, Shared};

pub fn release<'s>(cta: &mut Cta, mine: Shared<'s, f32, 64, Free>, of_all: Shared<'s, f32, 64, Loaded>) {
    #[cfg(not(fixed))]
    let _ = cta.invoke_one(mine, |thread, mine| {
        _ = of_all.release().sync(thread);
        mine
    }).sync(cta);
    #[cfg(fixed)]
    let _ = cta.invoke_one(mine, |_, mine| mine).sync(cta);
    #[cfg(fixed)]
    let _ = of_all.release().sync(cta);
}

#[cfg(not(fixed))]
pub fn load<'s>(cta: &mut Cta, tile: Shared<'s, f32, 64, Free>, bar: Mbarrier<Ready>, src: GlobalTile<f32, 64>) {
    _ = cta.invoke_one(tile, |thread, tile| {
        let (_, tile, _) = bulk::load(thread, bar, tile, src).wait(thread);
        tile.release().sync(thread)
    }).sync(cta);
}

#[cfg(fixed)]
pub fn load<'s>(cta: &mut Cta, tile: Shared<'s, f32, 64, Free>, bar: Mbarrier<Uninit>, src: GlobalTile<f32, 64>) {
    _ = cta.invoke_one((tile, bar), |thread, (tile, bar)| {
        let (bar, tile, _) = bulk::load(thread, bar.init(thread).sync(thread), tile, src).wait(thread);
        (tile.release().sync(thread), bar.inval(thread))
    }).sync(cta);
}

pub fn store<'s>(
    cta: &mut Cta,
    mine: Shared<'s, f32, 64, Free>,
    of_all: Shared<'s, f32, 64, Fenced>,
    to: GlobalTileMut<f32, 64>,
) {
    #[cfg(not(fixed))]
    let _ = cta.invoke_one(mine, |thread, mine| {
        _ = bulk::store(thread, of_all, to).commit(thread).wait_read(thread).sync(thread);
        mine
    }).sync(cta);
    #[cfg(fixed)]
    let _ = cta.invoke_one((mine, of_all), |thread, (mine, of_all)| {
        let (of_all, _) = bulk::store(thread, of_all, to).commit(thread).wait(thread).sync(thread);
        (mine, of_all)
    }).sync(cta);
}

pub fn with_the_cta<'s>(cta: &mut Cta, tile: Shared<'s, f32, 64, Fenced>, to: GlobalTileMut<f32, 64>) {
    #[cfg(not(fixed))]
    let _ = cta.invoke_one(tile, |_, tile| bulk::store(cta, tile, to).commit(cta).wait(cta).sync(cta).0).sync(cta);
    #[cfg(fixed)]
    let _ = cta.invoke_one(tile, |thread, tile| bulk::store(thread, tile, to).commit(thread).wait(thread).sync(thread).0).sync(cta);
}

#[cfg(not(fixed))]
pub fn load_with_the_cta<'s>(cta: &mut Cta, tile: Shared<'s, f32, 64, Free>, bar: Mbarrier<Ready>, src: GlobalTile<f32, 64>) {
    _ = cta.invoke_one(tile, |_, tile| bulk::load(cta, bar, tile, src).wait(cta).1.release().sync(cta)).sync(cta);
}

#[cfg(fixed)]
pub fn load_with_the_cta<'s>(cta: &mut Cta, tile: Shared<'s, f32, 64, Free>, bar: Mbarrier<Uninit>, src: GlobalTile<f32, 64>) {
    _ = cta.invoke_one((tile, bar), |thread, (tile, bar)| {
        let (bar, tile, _) = bulk::load(thread, bar.init(thread).sync(thread), tile, src).wait(thread);
        (tile.release().sync(thread), bar.inval(thread))
    }).sync(cta);
}
