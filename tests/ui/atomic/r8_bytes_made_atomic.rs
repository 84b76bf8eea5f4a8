//! Bytes have no atomic operations.

use ptx::group::Cta;
use ptx::shared::SharedArray;

#[cfg(not(fixed))]
pub fn kernel(cta: &mut Cta, bins: SharedArray<u8, 256>) {
    cta.async_scope(bins, |cta, bins| {
        let bins = bins.write(cta, |_| 0).into_atomic(cta);
        bins.to_async().sync(cta).into_free()
    });
}

#[cfg(fixed)]
pub fn kernel(cta: &mut Cta, bins: SharedArray<u32, 256>) {
    cta.async_scope(bins, |cta, bins| {
        let bins = bins.write(cta, |_| 0).into_atomic(cta);
        bins.to_async().sync(cta).into_free()
    });
}
