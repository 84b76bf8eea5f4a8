//! The last scope ends with its own memory.

use ptx::bulk::{BulkGroup, Committed, Store};
use ptx::launch::Cta;
use ptx::shared::{Ended, Fenced, Published, Shared, SharedArray};

type Memory = SharedArray<f32, 64>;

pub fn end<'a, 'b: 'a>(other: Shared<'a, f32, 64, Published>) -> Ended<'b, Memory> {
    other.end()
}

pub fn end_of_a_store<'a, 'b: 'a>(
    cta: &Cta,
    other: BulkGroup<Store<'a, f32, 64, Fenced>, Committed>,
) -> Ended<'b, Memory> {
    other.end(cta)
}

pub fn async_scope(outer: &mut Cta, cta: Cta, memory: Memory, last: Memory) {
    outer.async_scope(memory, |_, other| {
        cta.async_scope_last(last, |_, _mine| other.end());
        loop {}
    });
}

pub fn after_the_last_scope(cta: Cta, memory: Memory, last: Memory) {
    cta.async_scope_last(last, |_, tile| tile.end());
    cta.async_scope_last(memory, |_, tile| tile.end());
}
