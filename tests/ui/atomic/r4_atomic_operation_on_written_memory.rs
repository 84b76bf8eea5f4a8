//! Elements are atomic only after `into_atomic`.

use ptx::group::Cta;
use ptx::qualifier::sem;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, bins: SharedArray<u32, 256>) {
    cta.async_scope(bins, |cta, bins| {
        #[cfg(not(fixed))]
        let bins = bins.write(cta, |_| 0);
        #[cfg(fixed)]
        let bins = bins.write(cta, |_| 0).into_atomic(cta);
        if let Some(bin) = bins.atomic(0) {
            bin.add(1, sem::Relaxed);
        }
        bins.to_async().sync(cta).into_free()
    });
}
