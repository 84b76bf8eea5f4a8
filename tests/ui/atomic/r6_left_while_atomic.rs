//! A scope ends with free memory, not with atomic memory.

use ptx::group::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, bins: SharedArray<u32, 256>) {
    #[cfg(not(fixed))]
    cta.async_scope(bins, |cta, bins| bins.write(cta, |_| 0).into_atomic(cta));
    #[cfg(fixed)]
    cta.async_scope(bins, |cta, bins| {
        bins.write(cta, |_| 0).into_atomic(cta).to_async().sync(cta).into_free()
    });
}
