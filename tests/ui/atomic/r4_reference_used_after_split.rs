//! A reference to an atomic element ends before the array is split.

use ptx::launch::{Cta, trap};
use ptx::qualifier::sem;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, bins: SharedArray<u32, 256>) {
    cta.async_scope(bins, |cta, bins| {
        let bins = bins.write(cta, |_| 0).into_atomic(cta);
        #[cfg(not(fixed))]
        let bin = bins.atomic(0);
        let (low, high) = bins.split::<128, 128>();
        #[cfg(not(fixed))]
        if let Some(bin) = bin {
            bin.add(1, sem::Relaxed);
        }
        #[cfg(fixed)]
        if let Some(bin) = low.atomic(0) {
            bin.add(1, sem::Relaxed);
        }
        let Ok(bins) = low.join::<128, 256>(high) else { trap() };
        bins.to_async(cta).into_free()
    });
}
