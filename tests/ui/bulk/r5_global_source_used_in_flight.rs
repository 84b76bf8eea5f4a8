//! A tile of global memory that a copy reads is not written before the wait.

use ptx::bulk;
use ptx::global::GlobalTileMut;
use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Ready};
use ptx::shared::SharedArray;

pub fn kernel(
    cta: &mut Cta,
    dst: GlobalTileMut<f32, 1024>,
    bar: Mbarrier<Ready>,
    one: SharedArray<f32, 1024>,
    other: SharedArray<f32, 1024>,
) {
    cta.async_scope((one, other, bar), |cta, (one, other, bar)| {
        let other = other.write(cta, |_| 1.0).to_async(cta);
        let load = bulk::load(cta, bar, one, dst);
        #[cfg(fixed)]
        let (bar, one, dst) = load.wait(cta);
        let group = bulk::store(cta, other, dst).commit(cta);
        #[cfg(not(fixed))]
        let (bar, one, _dst) = load.wait(cta);
        let (other, _dst) = group.wait(cta);
        (one.release(cta), other.into_free(), bar)
    });
}
