//! A tile that is written has one handle.

use ptx::bulk;
use ptx::global::TilesMut;
use ptx::group::{Cta, Together};
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, mut tiles: TilesMut<f32, 1024>, one: SharedArray<f32, 1024>, other: SharedArray<f32, 1024>) {
    #[cfg(not(fixed))]
    let Some((_, dst)) = tiles.next_tile() else { return };
    #[cfg(fixed)]
    let (Some((_, one_dst)), Some((_, other_dst))) = (tiles.next_tile(), tiles.next_tile()) else { return };
    cta.async_scope((one, other), |cta, (one, other)| {
        let one = one.write(cta, |_| 1.0).to_async().sync(cta);
        let other = other.write(cta, |_| 2.0).to_async().sync(cta);
        #[cfg(not(fixed))]
        let first = bulk::store(cta, one, dst.clone()).commit(cta);
        #[cfg(not(fixed))]
        let second = bulk::store(cta, other, dst).commit(cta);
        #[cfg(fixed)]
        let first = bulk::store(cta, one, one_dst).commit(cta);
        #[cfg(fixed)]
        let second = bulk::store(cta, other, other_dst).commit(cta);
        (first.wait_read(cta), second.wait_read(cta)).sync(cta)
    });
}
