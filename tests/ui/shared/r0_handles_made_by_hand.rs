//! A handle, and its state, come from the calls that make them true.

use ptx::shared::{DynamicShared, Free, Loaded, Shared};

pub fn kernel<'s>(tile: Shared<'s, f32, 64, Free>) {
    let _other: Shared<'s, f32, 64, Loaded> = Shared::new(tile.addr());
    let _loaded: Shared<'s, f32, 64, Loaded> = tile.into_state();
    let _dynamic = DynamicShared::claim();
}
