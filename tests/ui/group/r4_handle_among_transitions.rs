//! A barrier completes transitions: a tuple of them holds no handle.

use ptx::group::{Cta, Together};
use ptx::shared::{Free, Loaded, Published, Shared, Written};

type Tile<'s, State> = Shared<'s, f32, 64, State>;

pub fn free_already<'s>(cta: &Cta, read: Tile<'s, Loaded>, free: Tile<'s, Free>) -> [Tile<'s, Free>; 2] {
    #[cfg(not(fixed))]
    let (read, free) = (read.release(), free).sync(cta);
    #[cfg(fixed)]
    let read = read.release().sync(cta);
    [read, free]
}

pub fn not_begun<'s>(
    cta: &Cta,
    read: Tile<'s, Loaded>,
    written: Tile<'s, Written>,
) -> (Tile<'s, Free>, Tile<'s, Published>) {
    #[cfg(not(fixed))]
    {
        (read.release(), written).sync(cta)
    }
    #[cfg(fixed)]
    {
        (read.release(), written.publish()).sync(cta)
    }
}
