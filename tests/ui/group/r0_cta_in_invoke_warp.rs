//! In the part of one warp, no call waits for the other warps of the CTA.

use ptx::group::Cta;
use ptx::shared::{Free, Shared};

pub fn behind_a_barrier(cta: &mut Cta) {
    #[cfg(not(fixed))]
    cta.invoke_warp((), |_, ()| cta.sync());
    #[cfg(fixed)]
    cta.invoke_warp((), |_, ()| ());
    #[cfg(fixed)]
    cta.sync();
}

pub fn at_a_shared_barrier<'s>(cta: &mut Cta, tile: Shared<'s, u32, 64, Free>) -> Shared<'s, u32, 64, Free> {
    #[cfg(not(fixed))]
    let tile = cta.invoke_warp(tile, |_, tile| {
        cta.sync();
        tile
    });
    #[cfg(fixed)]
    let tile = cta.invoke_warp(tile, |_, tile| tile);
    #[cfg(fixed)]
    cta.sync();
    tile.sync(cta)
}

pub fn at_the_end(cta: &mut Cta) {
    #[cfg(not(fixed))]
    cta.finish_warp((), |_, ()| cta.sync());
    #[cfg(fixed)]
    cta.sync();
    #[cfg(fixed)]
    cta.finish_warp((), |_, ()| ());
}
