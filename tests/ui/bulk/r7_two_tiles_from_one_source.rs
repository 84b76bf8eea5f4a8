//! A load of two tiles takes two sources.

use ptx::bulk;
use ptx::global::GlobalTile;
use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Ready};
use ptx::shared::{Free, Shared};

type Tiles<'s> = (Shared<'s, f32, 64, Free>, Shared<'s, f32, 64, Free>);

pub fn kernel(cta: &Cta, tiles: Tiles, bar: Mbarrier<Ready>, src: GlobalTile<f32, 64>) {
    #[cfg(not(fixed))]
    let (_bar, (_a, _b), _src) = bulk::load(cta, bar, tiles, src).wait(cta);
    #[cfg(fixed)]
    let (_bar, (_a, _b), _) = bulk::load(cta, bar, tiles, (src, src)).wait(cta);
}
