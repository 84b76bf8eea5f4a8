//! `publish` is for stores of threads: loaded, published and fenced memory has no such stores.

use ptx::launch::Cta;
use ptx::shared::{Fenced, Loaded, Published, Shared};

pub fn loaded<'s>(cta: &Cta, tile: Shared<'s, u32, 64, Loaded>) -> Shared<'s, u32, 64, Published> {
    tile.update(cta, |_, v| v + 1).publish(cta)
}

pub fn twice<'s>(_: &Cta, tile: Shared<'s, u32, 64, Published>) -> Shared<'s, u32, 64, Published> {
    tile
}

pub fn fenced<'s>(cta: &Cta, tile: Shared<'s, u32, 64, Fenced>) -> Shared<'s, u32, 64, Published> {
    tile.into_free().write(cta, |i| i as u32).publish(cta)
}
