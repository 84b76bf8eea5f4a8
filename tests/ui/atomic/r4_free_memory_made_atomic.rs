//! Free memory holds no values, so it cannot become atomic.

use ptx::group::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, bins: SharedArray<u32, 256>) {
    cta.async_scope(bins, |cta, bins| {
        #[cfg(not(fixed))]
        let bins = bins.into_atomic(cta);
        #[cfg(fixed)]
        let bins = bins.write(cta, |_| 0).into_atomic(cta);
        bins.to_async().sync(cta).into_free()
    });
}
