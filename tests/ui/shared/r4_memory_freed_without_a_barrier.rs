//! `into_free` takes memory that all threads have fenced: in other states, threads may still access it.

use ptx::atomic::Atomic;
use ptx::group::Cta;
use ptx::shared::{Free, FreeGeneric, Loaded, Shared};

#[cfg(not(fixed))]
pub fn loaded<'s>(_: &Cta, tile: Shared<'s, u32, 64, Loaded>) -> Shared<'s, u32, 64, Free> {
    tile.into_free()
}

#[cfg(fixed)]
pub fn loaded<'s>(cta: &Cta, tile: Shared<'s, u32, 64, Loaded>) -> Shared<'s, u32, 64, Free> {
    tile.release().sync(cta)
}

#[cfg(not(fixed))]
pub fn spent<'s>(_: &Cta, tile: Shared<'s, u32, 64, FreeGeneric>) -> Shared<'s, u32, 64, Free> {
    tile.into_free()
}

#[cfg(fixed)]
pub fn spent<'s>(cta: &Cta, tile: Shared<'s, u32, 64, FreeGeneric>) -> Shared<'s, u32, 64, Free> {
    tile.to_async().sync(cta).into_free()
}

#[cfg(not(fixed))]
pub fn atomic<'s>(_: &Cta, tile: Shared<'s, u32, 64, Atomic>) -> Shared<'s, u32, 64, Free> {
    tile.into_free()
}

#[cfg(fixed)]
pub fn atomic<'s>(cta: &Cta, tile: Shared<'s, u32, 64, Atomic>) -> Shared<'s, u32, 64, Free> {
    tile.to_async().sync(cta).into_free()
}
