//! A load of two tiles takes two free tiles.

use ptx::bulk;
use ptx::global::GlobalTile;
use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Ready};
use ptx::shared::{Free, Shared, Written};

pub fn kernel(cta: &Cta, bar: Mbarrier<Ready>, a: Shared<f32, 64, Free>, b: Shared<f32, 64, Written>, src: GlobalTile<f32, 64>) {
    #[cfg(not(fixed))]
    let (_bar, (_a, _b), _src) = bulk::load(cta, bar, (a, b), (src, src)).wait(cta);
    #[cfg(fixed)]
    let (_bar, (_a, _b), _src) = bulk::load(cta, bar, (a, b.to_async().sync(cta).into_free()), (src, src)).wait(cta);
}
