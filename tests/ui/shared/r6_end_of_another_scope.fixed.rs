//! The last scope ends with its own memory.

use ptx::bulk::{BulkGroup, Committed, Store};
use ptx::launch::Cta;
use ptx::shared::{Ended, Fenced, Published, Shared, SharedArray};

type Memory = SharedArray<f32, 64>;

pub fn end<'a>(own: Shared<'a, f32, 64, Published>) -> Ended<'a, Memory> {
    own.end()
}

pub fn end_of_a_store<'a>(
    cta: &Cta,
    own: BulkGroup<Store<'a, f32, 64, Fenced>, Committed>,
) -> Ended<'a, Memory> {
    own.end(cta)
}

pub fn async_scope(mut cta: Cta, memory: Memory, last: Memory) {
    cta.async_scope(memory, |_, other| other);
    cta.async_scope_last(last, |_, mine| mine.end());
}

pub fn after_the_last_scope(cta: Cta, memory: Memory, last: Memory) {
    cta.async_scope_last((last, memory), |_, (last, tile)| (last.end(), tile.end()));
}
