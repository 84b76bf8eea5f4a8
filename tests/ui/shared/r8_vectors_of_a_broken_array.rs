//! An array that is stored by vectors has whole vectors.

use ptx::shared::{Free, Shared, VectorStores};

#[cfg(not(fixed))]
pub fn begin<'s>(tile: Shared<'s, f32, 6, Free>) -> Shared<'s, f32, 6, VectorStores> {
    tile.vector_stores()
}

#[cfg(fixed)]
pub fn begin<'s>(tile: Shared<'s, f32, 8, Free>) -> Shared<'s, f32, 8, VectorStores> {
    tile.vector_stores()
}
