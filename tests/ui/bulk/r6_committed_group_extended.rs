//! A committed group takes no more copies, so start a new group.

use ptx::bulk;
use ptx::global::GlobalTileMut;
use ptx::group::Cta;
use ptx::shared::SharedArray;

pub fn kernel(
    cta: &mut Cta,
    one: SharedArray<f32, 1024>,
    other: SharedArray<f32, 1024>,
    one_dst: GlobalTileMut<f32, 1024>,
    other_dst: GlobalTileMut<f32, 1024>,
) {
    cta.async_scope((one, other), |cta, (one, other)| {
        let one = one.write(cta, |_| 1.0).to_async().sync(cta);
        let other = other.write(cta, |_| 2.0).to_async().sync(cta);
        #[cfg(not(fixed))]
        let group =
            bulk::store(cta, one, one_dst).commit(cta).and(bulk::store(cta, other, other_dst)).commit(cta);
        #[cfg(fixed)]
        let group = bulk::store(cta, one, one_dst).and(bulk::store(cta, other, other_dst)).commit(cta);
        group.wait_read(cta).sync(cta)
    });
}
