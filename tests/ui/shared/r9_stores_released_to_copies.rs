//! `release` takes memory that was only read: stores and updates go to copies by `to_async`.

use ptx::atomic::Atomic;
use ptx::group::Cta;
use ptx::shared::{Free, FreeGeneric, Published, Shared, Written};

pub fn stored<'s>(cta: &Cta, tile: Shared<'s, u32, 64, Written>) -> Shared<'s, u32, 64, Free> {
    #[cfg(not(fixed))]
    {
        tile.release().sync(cta)
    }
    #[cfg(fixed)]
    {
        tile.to_async().sync(cta).into_free()
    }
}

pub fn overwritable<'s>(cta: &Cta, tile: Shared<'s, u32, 64, FreeGeneric>) -> Shared<'s, u32, 64, Free> {
    #[cfg(not(fixed))]
    {
        tile.release().sync(cta)
    }
    #[cfg(fixed)]
    {
        tile.to_async().sync(cta).into_free()
    }
}

pub fn added_to<'s>(cta: &Cta, tile: Shared<'s, u32, 64, Atomic>) -> Shared<'s, u32, 64, Free> {
    #[cfg(not(fixed))]
    {
        tile.release().sync(cta)
    }
    #[cfg(fixed)]
    {
        tile.to_async().sync(cta).into_free()
    }
}

pub fn published<'s>(cta: &Cta, tile: Shared<'s, u32, 64, Published>) -> Shared<'s, u32, 64, Free> {
    #[cfg(not(fixed))]
    {
        tile.release().sync(cta)
    }
    #[cfg(fixed)]
    {
        tile.to_async().sync(cta).into_free()
    }
}
