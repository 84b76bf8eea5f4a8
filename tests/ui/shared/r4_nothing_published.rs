//! Free memory holds no values to publish, or for copies to read.

use ptx::launch::Cta;
use ptx::shared::{Fenced, Free, Published, Shared, FreeGeneric};

pub fn published<'s>(cta: &Cta, tile: Shared<'s, u32, 64, Free>) -> Shared<'s, u32, 64, Published> {
    tile.publish(cta)
}

pub fn overwritable<'s>(cta: &Cta, tile: Shared<'s, u32, 64, FreeGeneric>) -> Shared<'s, u32, 64, Published> {
    tile.publish(cta)
}

pub fn fenced<'s>(cta: &Cta, tile: Shared<'s, u32, 64, Free>) -> Shared<'s, u32, 64, Fenced> {
    tile.to_async(cta)
}
