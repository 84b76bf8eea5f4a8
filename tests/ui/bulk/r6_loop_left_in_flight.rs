//! A loop may not leave a copy in flight at the end of the scope.

use ptx::bulk;
use ptx::global::Tiles;
use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Ready};
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 1024>, bar: Mbarrier<Ready>, src: Tiles<f32, 1024>) {
    cta.async_scope((tile, bar), |cta, (mut tile, mut bar)| {
        let mut i = 0;
        while let Some(src) = src.get(i) {
            let load = bulk::load(cta, bar, tile, src);
            #[cfg(not(fixed))]
            if i == 7 {
                break;
            }
            let (ready, loaded, _src) = load.wait(cta);
            (bar, tile) = (ready, loaded.release(cta));
            i += 1;
            #[cfg(fixed)]
            if i == 7 {
                break;
            }
        }
        (tile, bar)
    });
}
