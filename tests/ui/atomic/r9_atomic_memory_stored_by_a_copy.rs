//! Results of atomic operations need a proxy fence before a copy reads them.

use ptx::bulk;
use ptx::global::GlobalTileMut;
use ptx::group::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, bins: SharedArray<u32, 256>, dst: GlobalTileMut<u32, 256>) {
    cta.async_scope(bins, |cta, bins| {
        #[cfg(not(fixed))]
        let bins = bins.write(cta, |_| 0).into_atomic(cta);
        #[cfg(fixed)]
        let bins = bins.write(cta, |_| 0).into_atomic(cta).to_async().sync(cta);
        let bins = bulk::store(cta, bins, dst).commit(cta).wait_read(cta).sync(cta);
        bins
    });
}
