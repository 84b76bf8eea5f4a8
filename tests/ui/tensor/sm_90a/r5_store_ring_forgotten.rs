//! A ring gives its memory back after its stores have read it.

use ptx::group::Cta;
use ptx::shared::SharedArray;
use ptx::tensor::{Box2, TensorTileMut};

pub fn kernel(cta: Cta, memory: SharedArray<f32, 512>, to: TensorTileMut<f32, Box2<64, 4>>) {
    cta.finish(memory, |cta, memory| {
        let mut ring = memory.into_store_ring::<256, 2>();
        ring.store(cta, to, |buffer| _ = buffer);
        #[cfg(not(fixed))]
        {
            memory.end()
        }
        #[cfg(fixed)]
        {
            ring.end(cta)
        }
    });
}
