//! `into_free` takes memory that all threads have fenced: in other states, threads may still access it.

use ptx::atomic::Atomic;
use ptx::launch::Cta;
use ptx::shared::{Free, Loaded, Shared, FreeGeneric};

pub fn loaded<'s>(_: &Cta, tile: Shared<'s, u32, 64, Loaded>) -> Shared<'s, u32, 64, Free> {
    tile.into_free()
}

pub fn spent<'s>(_: &Cta, tile: Shared<'s, u32, 64, FreeGeneric>) -> Shared<'s, u32, 64, Free> {
    tile.into_free()
}

pub fn atomic<'s>(_: &Cta, tile: Shared<'s, u32, 64, Atomic>) -> Shared<'s, u32, 64, Free> {
    tile.into_free()
}
