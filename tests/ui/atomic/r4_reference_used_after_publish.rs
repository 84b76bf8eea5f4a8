//! A reference to an atomic element ends before the elements are published.

use ptx::group::Cta;
use ptx::qualifier::sem;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, bins: SharedArray<u32, 256>) {
    cta.async_scope(bins, |cta, bins| {
        let bins = bins.write(cta, |_| 0).into_atomic(cta);
        let bin = bins.atomic(0);
        #[cfg(not(fixed))]
        let bins = bins.publish().sync(cta);
        if let Some(bin) = bin {
            bin.add(1, sem::Relaxed);
        }
        #[cfg(fixed)]
        let bins = bins.publish().sync(cta);
        bins.to_async().sync(cta).into_free()
    });
}
