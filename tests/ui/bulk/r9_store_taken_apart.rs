//! What threads stored is fenced, and behind a barrier, when a copy or another thread reads it: no tuple of handles says so.

use ptx::bulk::Split as _;
use ptx::global::GlobalTileMut;
use ptx::launch::Cta;
use ptx::shared::{Free, Shared};

pub fn kernel(cta: &Cta, tile: Shared<'_, u32, 64, Free>, to: GlobalTileMut<u32, 64>) -> Option<u32> {
    let written = tile.write(cta, |i| i as u32);
    let (tile, _to) = (written, to).split();
    tile.into_loaded().get(63)
}
