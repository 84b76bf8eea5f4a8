//! Threads write an array by one or more vectors of 16 bytes.

use ptx::group::Cta;
use ptx::shared::{Loaded, Shared, SharedArray};

#[cfg(not(fixed))]
pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 1023>, none: SharedArray<f32, 0>) {
    cta.async_scope(tile, |cta, tile| tile.write(cta, |_| 0.0).to_async().sync(cta).into_free());
    cta.async_scope(none, |cta, none| none.write(cta, |_| 0.0).to_async().sync(cta).into_free());
}

#[cfg(fixed)]
pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 1024>, none: SharedArray<f32, 4>) {
    cta.async_scope(tile, |cta, tile| tile.write(cta, |_| 0.0).to_async().sync(cta).into_free());
    cta.async_scope(none, |cta, none| none.write(cta, |_| 0.0).to_async().sync(cta).into_free());
}

#[cfg(not(fixed))]
pub fn update<'s>(cta: &Cta, tile: Shared<'s, f32, 1023, Loaded>) {
    let _tile = tile.update(cta, |_, x| x);
}

#[cfg(fixed)]
pub fn update<'s>(cta: &Cta, tile: Shared<'s, f32, 1024, Loaded>) {
    let _tile = tile.update(cta, |_, x| x);
}
