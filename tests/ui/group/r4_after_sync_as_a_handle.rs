//! What a transition returns is not the handle yet: `.sync(cta)` gives the handle.

use ptx::bulk;
use ptx::global::{GlobalTile, GlobalTileMut};
use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Ready};
use ptx::shared::{Free, Loaded, Shared, Written};

pub fn read(cta: &Cta, tile: Shared<'_, f32, 64, Written>) -> Option<f32> {
    #[cfg(not(fixed))]
    {
        tile.publish().get(0)
    }
    #[cfg(fixed)]
    {
        tile.publish().sync(cta).get(0)
    }
}

pub fn loaded_into(
    cta: &Cta,
    bar: Mbarrier<Ready>,
    tile: Shared<'_, f32, 64, Loaded>,
    src: GlobalTile<f32, 64>,
) {
    #[cfg(not(fixed))]
    let _ = bulk::load(cta, bar, tile.release(), src);
    #[cfg(fixed)]
    let _ = bulk::load(cta, bar, tile.release().sync(cta), src).wait(cta);
}

pub fn loaded_by_an_mbarrier_that_is_not_there(
    cta: &Cta,
    bar: Mbarrier<Ready>,
    tile: Shared<'_, f32, 64, Free>,
    src: GlobalTile<f32, 64>,
) {
    let bar = bar.inval(cta);
    #[cfg(not(fixed))]
    let _ = bulk::load(cta, bar.init(cta), tile, src);
    #[cfg(fixed)]
    let _ = bulk::load(cta, bar.init(cta).sync(cta), tile, src).wait(cta);
}

pub fn stored(cta: &Cta, tile: Shared<'_, f32, 64, Written>, to: GlobalTileMut<f32, 64>) {
    #[cfg(not(fixed))]
    let _ = bulk::store(cta, tile.to_async(), to);
    #[cfg(fixed)]
    let _ = bulk::store(cta, tile.to_async().sync(cta), to).commit(cta).wait_read(cta).sync(cta);
}

pub fn handed_over<'s>(cta: &mut Cta, tile: Shared<'s, f32, 64, Loaded>) -> Shared<'s, f32, 64, Free> {
    #[cfg(not(fixed))]
    {
        cta.invoke_one(tile.release(), |_, tile| tile).sync(cta)
    }
    #[cfg(fixed)]
    {
        cta.invoke_one(tile.release().sync(cta), |_, tile| tile).sync(cta)
    }
}
