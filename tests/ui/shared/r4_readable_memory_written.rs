//! Memory that other threads may still read or change is not overwritten.

use ptx::atomic::Atomic;
use ptx::group::Cta;
use ptx::shared::{Loaded, Published, Shared, Written};

pub fn loaded<'s>(cta: &Cta, tile: Shared<'s, u32, 64, Loaded>) -> Shared<'s, u32, 64, Written> {
    #[cfg(not(fixed))]
    {
        tile.write(cta, |_| 0)
    }
    #[cfg(fixed)]
    {
        tile.release().sync(cta).write(cta, |_| 0)
    }
}

pub fn in_chunks<'s>(cta: &Cta, tile: Shared<'s, u32, 64, Loaded>) -> Shared<'s, u32, 64, Written> {
    #[cfg(not(fixed))]
    {
        tile.write_chunks::<1>(cta, |_| [[0; 4]])
    }
    #[cfg(fixed)]
    {
        tile.release().sync(cta).write_chunks::<1>(cta, |_| [[0; 4]])
    }
}

pub fn published<'s>(cta: &Cta, tile: Shared<'s, u32, 64, Published>) -> Shared<'s, u32, 64, Written> {
    #[cfg(not(fixed))]
    {
        tile.write(cta, |_| 0)
    }
    #[cfg(fixed)]
    {
        tile.release().sync(cta).write(cta, |_| 0)
    }
}

pub fn atomic<'s>(cta: &Cta, tile: Shared<'s, u32, 64, Atomic>) -> Shared<'s, u32, 64, Written> {
    #[cfg(not(fixed))]
    {
        tile.write(cta, |_| 0)
    }
    #[cfg(fixed)]
    {
        tile.publish().sync(cta).release().sync(cta).write(cta, |_| 0)
    }
}
