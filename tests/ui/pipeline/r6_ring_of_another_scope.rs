//! A scope ends with its own ring: another ring of the same type does not replace it.

use ptx::global::{Tiles, TilesMut};
use ptx::group::Cta;
use ptx::pipeline::RingMemory;

pub fn kernel(
    cta: &mut Cta,
    one: RingMemory<[f32; 1024], 3>,
    other: RingMemory<[f32; 1024], 3>,
    x: Tiles<f32, 1024>,
    y: TilesMut<f32, 1024>,
) {
    cta.async_scope(one, |cta, one| {
        #[cfg(not(fixed))]
        {
            cta.async_scope(other, |cta, other| {
                core::mem::forget(other.start(cta, [x], y));
                one
            });
            loop {}
        }
        #[cfg(fixed)]
        {
            cta.async_scope(other, |cta, other| other.start(cta, [x], y).finish(cta).join(cta));
            one
        }
    });
}
