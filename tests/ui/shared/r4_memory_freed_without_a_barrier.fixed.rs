//! `into_free` takes memory that all threads have fenced: in other states, threads may still access it.

use ptx::atomic::Atomic;
use ptx::launch::Cta;
use ptx::shared::{Free, Loaded, Shared, FreeGeneric};

pub fn loaded<'s>(cta: &Cta, tile: Shared<'s, u32, 64, Loaded>) -> Shared<'s, u32, 64, Free> {
    tile.release(cta)
}

pub fn spent<'s>(cta: &Cta, tile: Shared<'s, u32, 64, FreeGeneric>) -> Shared<'s, u32, 64, Free> {
    tile.to_async(cta).into_free()
}

pub fn atomic<'s>(cta: &Cta, tile: Shared<'s, u32, 64, Atomic>) -> Shared<'s, u32, 64, Free> {
    tile.to_async(cta).into_free()
}
