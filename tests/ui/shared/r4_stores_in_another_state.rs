//! Single elements and vectors are stored in a state of their own: other states, and the other size, take no such stores.

use ptx::group::{Cta, Together};
use ptx::qualifier::swizzle_mode;
use ptx::shared::{ElementStores, Fenced, Free, Loaded, Published, Shared, VectorStores, Written};

type Tile<'s, State> = Shared<'s, f32, 1024, State>;

#[cfg(not(fixed))]
pub fn stored_while_read(tile: &Tile<Published>) {
    tile.set(0, 1.0);
    tile.as_2d::<32>().swizzled(swizzle_mode::B128).set([0, 1], 1.0);
    tile.set_vector(0, [1.0; 4]);
}

#[cfg(fixed)]
pub fn stored_while_read(cta: &Cta, tile: Tile<Published>) {
    let tile = tile.release().sync(cta).element_stores();
    tile.set(0, 1.0);
    tile.as_2d::<32>().swizzled(swizzle_mode::B128).set([0, 1], 1.0);
}

#[cfg(not(fixed))]
pub fn stored_without_a_beginning(tile: &Tile<Free>) {
    tile.set(0, 1.0);
    tile.set_vector(0, [1.0; 4]);
}

#[cfg(fixed)]
pub fn stored_without_a_beginning(tile: Tile<Free>) {
    tile.vector_stores().set_vector(0, [1.0; 4]);
}

pub fn stored_in_two_sizes(elements: &Tile<ElementStores>, vectors: &Tile<VectorStores>) {
    #[cfg(not(fixed))]
    elements.set_vector(0, [1.0; 4]);
    #[cfg(not(fixed))]
    vectors.set(0, 1.0);
    #[cfg(not(fixed))]
    vectors.as_2d::<32>().set([0, 1], 1.0);
    #[cfg(not(fixed))]
    elements.as_2d::<32>().set_vector([0, 1], [1.0; 4]);
    #[cfg(fixed)]
    vectors.set_vector(0, [1.0; 4]);
    #[cfg(fixed)]
    elements.set(0, 1.0);
    #[cfg(fixed)]
    elements.as_2d::<32>().set([0, 1], 1.0);
    #[cfg(fixed)]
    vectors.as_2d::<32>().set_vector([0, 1], [1.0; 4]);
}

#[cfg(not(fixed))]
pub fn read_while_stored(elements: &Tile<ElementStores>, vectors: &Tile<VectorStores>) {
    elements.get(0);
    elements.as_2d::<32>().swizzled(swizzle_mode::B128).get([0, 1]);
    vectors.get_vector(0);
    vectors.as_2d::<32>().get_vector([0, 1]);
}

#[cfg(fixed)]
pub fn read_while_stored(cta: &Cta, elements: Tile<ElementStores>, vectors: Tile<VectorStores>) {
    let (elements, vectors) = (elements.publish(), vectors.publish()).sync(cta);
    elements.get(0);
    elements.as_2d::<32>().swizzled(swizzle_mode::B128).get([0, 1]);
    vectors.get_vector(0);
    vectors.as_2d::<32>().get_vector([0, 1]);
}

#[cfg(not(fixed))]
pub fn begun_where_others_read<'s>(tile: Tile<'s, Loaded>) -> Tile<'s, ElementStores> {
    tile.element_stores()
}

#[cfg(fixed)]
pub fn begun_where_others_read<'s>(cta: &Cta, tile: Tile<'s, Loaded>) -> Tile<'s, ElementStores> {
    tile.release().sync(cta).element_stores()
}

#[cfg(not(fixed))]
pub fn begun_where_others_store<'s>(tile: Tile<'s, Written>) -> Tile<'s, VectorStores> {
    tile.vector_stores()
}

#[cfg(fixed)]
pub fn begun_where_others_store<'s>(cta: &Cta, tile: Tile<'s, Written>) -> Tile<'s, VectorStores> {
    tile.publish().sync(cta).release().sync(cta).vector_stores()
}

#[cfg(not(fixed))]
pub fn loaded_by_threads<'s>(tile: Tile<'s, Written>) -> Tile<'s, Loaded> {
    tile.into_loaded()
}

#[cfg(fixed)]
pub fn loaded_by_threads<'s>(cta: &Cta, tile: Tile<'s, Written>) -> Tile<'s, Loaded> {
    tile.to_async().sync(cta).into_loaded()
}

#[cfg(not(fixed))]
pub fn fenced(_: &Cta, tile: Tile<Fenced>) {
    _ = tile.to_async();
}

#[cfg(fixed)]
pub fn fenced(cta: &Cta, tile: Tile<Fenced>) {
    let tile = tile.into_free().write(cta, |_| 0.0);
    _ = tile.to_async();
}
