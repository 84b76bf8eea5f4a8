//! Single elements and vectors are stored in a state of their own: other states, and the other size, take no such stores.

use ptx::launch::Cta;
use ptx::qualifier::swizzle_mode;
use ptx::shared::{ElementStores, Fenced, Free, Loaded, Published, Shared, VectorStores, Written};

type Tile<'s, State> = Shared<'s, f32, 1024, State>;

pub fn stored_while_read(tile: &Tile<Published>) {
    tile.set(0, 1.0);
    tile.as_2d::<32>().swizzled(swizzle_mode::B128).set([0, 1], 1.0);
    tile.set_vector(0, [1.0; 4]);
}

pub fn stored_without_a_beginning(tile: &Tile<Free>) {
    tile.set(0, 1.0);
    tile.set_vector(0, [1.0; 4]);
}

pub fn stored_in_two_sizes(elements: &Tile<ElementStores>, vectors: &Tile<VectorStores>) {
    elements.set_vector(0, [1.0; 4]);
    vectors.set(0, 1.0);
    vectors.as_2d::<32>().set([0, 1], 1.0);
    elements.as_2d::<32>().set_vector([0, 1], [1.0; 4]);
}

pub fn read_while_stored(elements: &Tile<ElementStores>, vectors: &Tile<VectorStores>) {
    elements.get(0);
    elements.as_2d::<32>().swizzled(swizzle_mode::B128).get([0, 1]);
    vectors.get_vector(0);
    vectors.as_2d::<32>().get_vector([0, 1]);
}

pub fn begun_where_others_read<'s>(tile: Tile<'s, Loaded>) -> Tile<'s, ElementStores> {
    tile.element_stores()
}

pub fn begun_where_others_store<'s>(tile: Tile<'s, Written>) -> Tile<'s, VectorStores> {
    tile.vector_stores()
}

pub fn loaded_by_threads<'s>(tile: Tile<'s, Written>) -> Tile<'s, Loaded> {
    tile.into_loaded()
}

pub fn fenced(_: &Cta, tile: Tile<Fenced>) {
    _ = tile.to_async_at_sync();
}
