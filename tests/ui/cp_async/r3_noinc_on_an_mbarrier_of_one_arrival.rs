//! The arrival of the copies counts at the mbarrier: each thread arrives twice per phase.

use ptx::cp_async;
use ptx::global::GlobalTile;
use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Ready};
use ptx::shared::{Free, Shared};

#[cfg(not(fixed))]
pub fn kernel(cta: &Cta, tile: Shared<f32, 64, Free>, bar: Mbarrier<Ready>, src: GlobalTile<f32, 64>) {
    let (_bar, (_tile, _src)) = cp_async::load(cta, tile, src).arrive_on_noinc(cta, bar).wait(cta);
}

#[cfg(fixed)]
pub fn kernel(cta: &Cta, tile: Shared<f32, 64, Free>, bar: Mbarrier<Ready, 2>, src: GlobalTile<f32, 64>) {
    let (_bar, (_tile, _src)) = cp_async::load(cta, tile, src).arrive_on_noinc(cta, bar).wait(cta);
}
