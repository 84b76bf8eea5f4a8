//! An array is filled by vectors of 16 bytes: a remainder at its end would stay unwritten.

use ptx::cp_async;
use ptx::global::{GlobalTile, Tail};
use ptx::launch::Cta;
use ptx::shared::{Free, Shared};

#[cfg(not(fixed))]
pub fn whole<'s>(cta: &Cta, tile: Shared<'s, f32, 1023, Free>, src: GlobalTile<f32, 1023>) {
    let _ = cp_async::load(cta, tile, src).wait_all(cta);
}

#[cfg(fixed)]
pub fn whole<'s>(cta: &Cta, tile: Shared<'s, f32, 1024, Free>, src: GlobalTile<f32, 1024>) {
    let _ = cp_async::load(cta, tile, src).wait_all(cta);
}

#[cfg(not(fixed))]
pub fn rest<'s>(cta: &Cta, tile: Shared<'s, f32, 1023, Free>, tail: Tail<f32>) {
    let _ = cp_async::load_zero_filled(cta, tile, tail).wait_all(cta);
}

#[cfg(fixed)]
pub fn rest<'s>(cta: &Cta, tile: Shared<'s, f32, 1024, Free>, tail: Tail<f32>) {
    let _ = cp_async::load_zero_filled(cta, tile, tail).wait_all(cta);
}
