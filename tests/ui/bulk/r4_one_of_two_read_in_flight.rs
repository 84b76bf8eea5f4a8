//! Tiles that are loaded together arrive together: none is readable before the wait.

use ptx::bulk;
use ptx::global::GlobalTile;
use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Ready};
use ptx::shared::{Free, Shared};

type Tile<'s> = Shared<'s, f32, 64, Free>;

pub fn kernel(cta: &Cta, bar: Mbarrier<Ready>, a: Tile, b: Tile, src: GlobalTile<f32, 64>) {
    let load = bulk::load(cta, bar, (a, b), (src, src));
    #[cfg(fixed)]
    let (_bar, (a, _b), _src) = load.wait(cta);
    let _ = a.get(0);
    #[cfg(not(fixed))]
    let (_bar, (_a, _b), _src) = load.wait(cta);
}
