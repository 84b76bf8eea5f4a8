//! A part of the CTA does not load from a tile that threads write: the other threads have the tile too, and do not wait for the part.

use ptx::bulk;
#[cfg(fixed)]
use ptx::global::GlobalTile;
#[cfg(not(fixed))]
use ptx::global::GlobalTileMut;
use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::shared::{Free, Shared};

#[cfg(not(fixed))]
type Source = GlobalTileMut<f32, 64>;
#[cfg(fixed)]
type Source = GlobalTile<f32, 64>;

pub fn kernel<'s>(
    cta: &mut Cta,
    tile: Shared<'s, f32, 64, Free>,
    bar: Mbarrier<Uninit>,
    from: Source,
) -> Shared<'s, f32, 64, Free> {
    let lent = cta.invoke_one((tile, bar), |thread, (tile, bar)| {
        let (bar, tile, _) = bulk::load(thread, bar.init(thread).sync(thread), tile, from).wait(thread);
        (tile.release().sync(thread), bar.inval(thread))
    });
    lent.sync(cta).0
}
