//! Memory at an address is accessed by `unsafe`: elements, handles, and the memory that a scope returns.

use ptx::shared::{Element, Free, Scoped, Place, Shared, SharedArray};

pub fn kernel<'s>(tile: Shared<'s, f32, 64, Free>) -> SharedArray<f32, 64> {
    let first = f32::load(tile.addr());
    f32::store(tile.addr(), first);
    let _vector = f32::load_vector(tile.addr());
    let _again = SharedArray::<f32, 64>::at(tile.addr());
    SharedArray::give_back(tile)
}
