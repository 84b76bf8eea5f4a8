//! Only the calls of the crate make handles and their states.

use ptx::shared::{DynamicShared, Free, Loaded, Shared};

pub fn kernel<'s>(tile: Shared<'s, f32, 64, Free>) {
    let _other: Shared<'s, f32, 64, Loaded> = Shared::new(tile.addr());
    let _loaded: Shared<'s, f32, 64, Loaded> = tile.into_state();
    let _dynamic = DynamicShared::claim();
}
