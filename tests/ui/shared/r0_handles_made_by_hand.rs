//! Only the calls of the crate make handles and their states.

use ptx::group::Cta;
use ptx::shared::{DynamicShared, Free, Loaded, Published, Shared};

#[cfg(not(fixed))]
pub fn kernel<'s>(tile: Shared<'s, f32, 64, Free>) {
    let _other: Shared<'s, f32, 64, Loaded> = Shared::new(tile.addr());
    let _loaded: Shared<'s, f32, 64, Loaded> = tile.into_state();
    let _dynamic = DynamicShared::claim();
}

#[cfg(fixed)]
pub fn kernel<'s>(cta: &Cta, tile: Shared<'s, f32, 64, Free>) {
    let _published: Shared<'s, f32, 64, Published> = tile.write(cta, |_| 0.0).publish().sync(cta);
}
