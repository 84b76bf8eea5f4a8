//! An mbarrier counts fewer than 2^20 bytes, over all tiles that are loaded on it together.

use ptx::bulk;
use ptx::global::GlobalTile;
use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Ready};
use ptx::shared::{Free, Shared};

type Tile<'s> = Shared<'s, f32, { 1 << 17 }, Free>;
type Source = GlobalTile<f32, { 1 << 17 }>;

pub fn kernel(cta: &Cta, bars: [Mbarrier<Ready>; 2], (a, b): (Tile, Tile), (x, y): (Source, Source)) {
    #[cfg(not(fixed))]
    let [bar, _] = bars;
    #[cfg(not(fixed))]
    let (_bar, (_a, _b), _) = bulk::load(cta, bar, (a, b), (x, y)).wait(cta);
    #[cfg(fixed)]
    let [first, second] = bars;
    #[cfg(fixed)]
    let (first, second) = (bulk::load(cta, first, a, x), bulk::load(cta, second, b, y));
    #[cfg(fixed)]
    let ((_, _a, _), (_, _b, _)) = (first.wait(cta), second.wait(cta));
}
