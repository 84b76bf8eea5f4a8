//! A handle that is there already needs no barrier: `.sync(cta)` is for what a transition returns.

use ptx::bulk::LoadTile;
use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Ready};
use ptx::shared::{Free, Loaded, Shared, Written};

pub fn tile<'s>(cta: &Cta, tile: Shared<'s, f32, 64, Loaded>) -> Shared<'s, f32, 64, Free> {
    #[cfg(not(fixed))]
    {
        tile.sync(cta)
    }
    #[cfg(fixed)]
    {
        tile.release().sync(cta)
    }
}

pub fn written(cta: &Cta, tile: Shared<'_, f32, 64, Free>) -> Option<f32> {
    let tile: Shared<'_, f32, 64, Written> = tile.write(cta, |i| i as f32);
    #[cfg(not(fixed))]
    {
        tile.sync(cta).get(0)
    }
    #[cfg(fixed)]
    {
        tile.publish().sync(cta).get(0)
    }
}

pub fn buffer<'s>(cta: &Cta, tile: LoadTile<'s, f32, 64, Loaded>) -> LoadTile<'s, f32, 64, Free> {
    #[cfg(not(fixed))]
    {
        tile.sync(cta)
    }
    #[cfg(fixed)]
    {
        tile.release().sync(cta)
    }
}

pub fn mbarrier(cta: &Cta, bar: Mbarrier<Ready>) {
    #[cfg(not(fixed))]
    let bar = bar.sync(cta);
    let _ = bar.inval(cta);
}
