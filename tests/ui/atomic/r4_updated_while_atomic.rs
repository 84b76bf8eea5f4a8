//! While memory is atomic, only atomic operations change it.

use ptx::group::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, bins: SharedArray<u32, 256>) {
    cta.async_scope(bins, |cta, bins| {
        #[cfg(not(fixed))]
        let bins = bins.write(cta, |_| 0).into_atomic(cta);
        #[cfg(fixed)]
        let bins = bins.write(cta, |_| 0).into_atomic(cta).publish().sync(cta);
        let bins = bins.update(cta, |_, count| count / 2);
        bins.to_async().sync(cta).into_free()
    });
}
