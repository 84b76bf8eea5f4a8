//! Memory at an address is accessed by `unsafe`: elements, handles, and the memory that a scope returns.

use ptx::shared::{Element, Free, Place, Scoped, Shared, SharedArray};

pub fn kernel<'s>(tile: Shared<'s, f32, 64, Free>) -> SharedArray<f32, 64> {
    #[cfg(not(fixed))]
    {
        let first = f32::load(tile.addr());
        f32::store(tile.addr(), first);
        let _vector = f32::load_vector(tile.addr());
        let _again = SharedArray::<f32, 64>::at(tile.addr());
        SharedArray::give_back(tile)
    }
    // SAFETY: no other handle has this memory, and no copy of it is in flight.
    #[cfg(fixed)]
    {
        unsafe {
            let first = f32::load(tile.addr());
            f32::store(tile.addr(), first);
            let _vector = f32::load_vector(tile.addr());
            SharedArray::give_back(tile)
        }
    }
}
