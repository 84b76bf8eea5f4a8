//! Free memory holds no values to publish, or for copies to read.

use ptx::group::Cta;
use ptx::shared::{Fenced, Free, FreeGeneric, Published, Shared};

pub fn published<'s>(cta: &Cta, tile: Shared<'s, u32, 64, Free>) -> Shared<'s, u32, 64, Published> {
    #[cfg(not(fixed))]
    {
        tile.publish().sync(cta)
    }
    #[cfg(fixed)]
    {
        tile.write(cta, |_| 0).publish().sync(cta)
    }
}

pub fn overwritable<'s>(cta: &Cta, tile: Shared<'s, u32, 64, FreeGeneric>) -> Shared<'s, u32, 64, Published> {
    #[cfg(not(fixed))]
    {
        tile.publish().sync(cta)
    }
    #[cfg(fixed)]
    {
        tile.write(cta, |_| 0).publish().sync(cta)
    }
}

pub fn fenced<'s>(cta: &Cta, tile: Shared<'s, u32, 64, Free>) -> Shared<'s, u32, 64, Fenced> {
    #[cfg(not(fixed))]
    {
        tile.to_async().sync(cta)
    }
    #[cfg(fixed)]
    {
        tile.write(cta, |_| 0).to_async().sync(cta)
    }
}
