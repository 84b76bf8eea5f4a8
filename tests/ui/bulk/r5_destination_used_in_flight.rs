//! A copy in flight owns the tile of global memory that it writes.

use ptx::bulk;
use ptx::global::GlobalTileMut;
use ptx::launch::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, dst: GlobalTileMut<f32, 1024>, one: SharedArray<f32, 1024>, other: SharedArray<f32, 1024>) {
    cta.async_scope((one, other), |cta, (one, other)| {
        let one = one.write(cta, |_| 1.0).to_async(cta);
        let other = other.write(cta, |_| 2.0).to_async(cta);
        #[cfg(not(fixed))]
        let group = bulk::store(cta, one, dst).store(cta, other, dst).commit(cta);
        #[cfg(not(fixed))]
        let ((one, other), _writing) = group.wait_read(cta);
        #[cfg(fixed)]
        let (one, dst) = bulk::store(cta, one, dst).commit(cta).wait(cta);
        #[cfg(fixed)]
        let (other, _dst) = bulk::store(cta, other, dst).commit(cta).wait(cta);
        (one.into_free(), other.into_free())
    });
}
