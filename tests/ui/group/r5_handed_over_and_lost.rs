//! Handles that a part of the threads has come back by the barrier alone: who drops the result has lost them.

use ptx::group::Cta;
use ptx::shared::{Free, Shared};

pub fn dropped<'s>(cta: &mut Cta, tile: Shared<'s, u32, 64, Free>) -> Shared<'s, u32, 64, Free> {
    #[cfg(not(fixed))]
    {
        let _ = cta.invoke_one(tile, |_, tile| tile);
        tile
    }
    #[cfg(fixed)]
    {
        let tile = cta.invoke_one(tile, |_, tile| tile);
        tile.sync(cta)
    }
}

pub fn barrier_of_its_own<'s>(cta: &mut Cta, tile: Shared<'s, u32, 64, Free>) -> Shared<'s, u32, 64, Free> {
    #[cfg(not(fixed))]
    {
        let _ = cta.invoke_warp(tile, |_, tile| tile);
        cta.sync();
        tile
    }
    #[cfg(fixed)]
    {
        cta.invoke_warp(tile, |_, tile| tile).sync(cta)
    }
}
