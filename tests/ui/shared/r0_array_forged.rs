//! The handle of an array comes from the memory that the kernel declares.

use core::marker::PhantomData;

use ptx::launch::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta) {
    let tile: SharedArray<f32, 1024> = SharedArray { addr: 0, _elements: PhantomData };
    cta.async_scope(tile, |_, tile| tile);
}
