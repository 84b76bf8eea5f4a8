//! Each element has one owner, whether it is dealt out singly, in a vector, or in a tile.

use ptx::bulk;
use ptx::global::{ElementMut, ElementsMut, GlobalElementsMut, GlobalTileMut, GlobalVectorsMut, VectorMut, VectorsMut};
use ptx::group::Cta;
use ptx::shared::{Fenced, Shared};

#[cfg(not(fixed))]
pub fn elements(cta: &Cta, y: GlobalElementsMut<f32>) -> [ElementsMut<f32>; 2] {
    [y.elements(cta), y.elements(cta)]
}

#[cfg(fixed)]
pub fn elements(cta: &Cta, x: GlobalElementsMut<f32>, y: GlobalElementsMut<f32>) -> [ElementsMut<f32>; 2] {
    [x.elements(cta), y.elements(cta)]
}

#[cfg(not(fixed))]
pub fn vectors(cta: &Cta, y: GlobalVectorsMut<f32>) -> [VectorsMut<f32>; 2] {
    [y.vectors(cta).0, y.vectors(cta).0]
}

#[cfg(fixed)]
pub fn vectors(cta: &Cta, y: GlobalVectorsMut<f32>) -> (VectorsMut<f32>, ElementsMut<f32>) {
    y.vectors(cta)
}

pub fn iterated_twice(own: ElementsMut<f32>) {
    for (_, element) in own {
        element.write(0.0);
        #[cfg(fixed)]
        element.write(element.read() + 1.0);
    }
    #[cfg(not(fixed))]
    for (_, element) in own {
        element.write(element.read() + 1.0);
    }
}

pub fn element_given_away(element: ElementMut<f32>, give: impl FnOnce(ElementMut<f32>)) {
    #[cfg(not(fixed))]
    give(element);
    element.write(element.read() + 1.0);
    #[cfg(fixed)]
    give(element);
}

pub fn vector_given_away(vector: VectorMut<f32>, give: impl FnOnce(VectorMut<f32>)) {
    #[cfg(not(fixed))]
    give(vector);
    let [a, b, c, d] = vector.read();
    vector.write([d, c, b, a]);
    #[cfg(fixed)]
    give(vector);
}

pub fn written_while_stored(cta: &Cta, tile: Shared<'_, f32, 64, Fenced>, to: GlobalTileMut<f32, 64>) {
    let store = bulk::store(cta, tile, to).commit(cta);
    #[cfg(fixed)]
    let (_tile, to) = store.wait(cta).sync(cta);
    to.write(cta, |_| 0.0);
    #[cfg(not(fixed))]
    let _ = store.wait(cta).sync(cta);
}

pub fn stored_after_it_is_written(cta: &Cta, tile: Shared<'_, f32, 64, Fenced>, to: GlobalTileMut<f32, 64>) {
    #[cfg(not(fixed))]
    to.write(cta, |_| 0.0);
    _ = bulk::store(cta, tile, to).commit(cta).wait(cta).sync(cta);
}

pub fn to_warps_and_to_threads(cta: &Cta, y: GlobalElementsMut<f32>) {
    let _of_warps = y.warp_elements(cta);
    #[cfg(not(fixed))]
    let _of_threads = y.elements(cta);
}
