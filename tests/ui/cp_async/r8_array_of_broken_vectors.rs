//! An array is filled by vectors of 16 bytes: a remainder at its end would stay unwritten.

use ptx::cp_async;
use ptx::global::GlobalTile;
use ptx::group::Cta;
use ptx::shared::{Free, Shared};

#[cfg(not(fixed))]
pub fn whole<'s>(cta: &Cta, tile: Shared<'s, f32, 1023, Free>, src: GlobalTile<f32, 1023>) {
    let _ = cp_async::load(cta, tile, src).commit(cta).wait().sync(cta);
}

#[cfg(fixed)]
pub fn whole<'s>(cta: &Cta, tile: Shared<'s, f32, 1024, Free>, src: GlobalTile<f32, 1024>) {
    let _ = cp_async::load(cta, tile, src).commit(cta).wait().sync(cta);
}
