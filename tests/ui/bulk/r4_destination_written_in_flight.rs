//! The destination of a copy is writable only after the wait.

use ptx::bulk;
use ptx::global::GlobalTile;
use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Ready};
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 1024>, bar: Mbarrier<Ready>, src: GlobalTile<f32, 1024>) {
    cta.async_scope((tile, bar), |cta, (tile, bar)| {
        let load = bulk::load(cta, bar, tile, src);
        #[cfg(not(fixed))]
        let _written = tile.write(cta, |_| 0.0);
        let (bar, tile, _src) = load.wait(cta);
        #[cfg(not(fixed))]
        {
            (tile.release(cta), bar)
        }
        #[cfg(fixed)]
        {
            let written = tile.update(cta, |_, _| 0.0);
            (written.to_async(cta).into_free(), bar)
        }
    });
}
