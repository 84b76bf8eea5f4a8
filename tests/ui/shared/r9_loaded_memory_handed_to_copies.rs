//! `to_async` fences stores of threads: loaded memory and fenced memory have no such stores.

use ptx::group::Cta;
use ptx::shared::{Fenced, Free, Loaded, Shared};

pub fn loaded<'s>(cta: &Cta, tile: Shared<'s, u32, 64, Loaded>) -> Shared<'s, u32, 64, Free> {
    #[cfg(not(fixed))]
    {
        tile.to_async().sync(cta).into_free()
    }
    #[cfg(fixed)]
    {
        tile.release().sync(cta)
    }
}

#[cfg(not(fixed))]
pub fn twice<'s>(cta: &Cta, tile: Shared<'s, u32, 64, Fenced>) -> Shared<'s, u32, 64, Free> {
    tile.to_async().sync(cta).into_free()
}

#[cfg(fixed)]
pub fn twice<'s>(_: &Cta, tile: Shared<'s, u32, 64, Fenced>) -> Shared<'s, u32, 64, Free> {
    tile.into_free()
}
