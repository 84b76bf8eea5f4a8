//! The last scope ends with its own memory.

use ptx::bulk::{BulkGroup, Committed, Store};
use ptx::group::Cta;
use ptx::shared::{Ended, Fenced, Published, Shared, SharedArray};

type Memory = SharedArray<f32, 64>;

#[cfg(not(fixed))]
pub fn end<'a, 'b: 'a>(other: Shared<'a, f32, 64, Published>) -> Ended<'b, Memory> {
    other.end()
}

#[cfg(fixed)]
pub fn end<'a>(own: Shared<'a, f32, 64, Published>) -> Ended<'a, Memory> {
    own.end()
}

#[cfg(not(fixed))]
pub fn end_of_a_store<'a, 'b: 'a>(cta: &Cta, other: BulkGroup<Store<'a, f32, 64, Fenced>, Committed>) -> Ended<'b, Memory> {
    other.wait_read(cta).end()
}

#[cfg(fixed)]
pub fn end_of_a_store<'a>(cta: &Cta, own: BulkGroup<Store<'a, f32, 64, Fenced>, Committed>) -> Ended<'a, Memory> {
    own.wait_read(cta).end()
}

#[cfg(not(fixed))]
pub fn async_scope(outer: &mut Cta, cta: Cta, memory: Memory, last: Memory) {
    outer.async_scope(memory, |_, other| {
        cta.finish(last, |_, _mine| other.end());
        loop {}
    });
}

#[cfg(fixed)]
pub fn async_scope(mut cta: Cta, memory: Memory, last: Memory) {
    cta.async_scope(memory, |_, other| other);
    cta.finish(last, |_, mine| mine.end());
}

pub fn after_the_last_scope(cta: Cta, memory: Memory, last: Memory) {
    #[cfg(not(fixed))]
    cta.finish(last, |_, tile| tile.end());
    #[cfg(not(fixed))]
    cta.finish(memory, |_, tile| tile.end());
    #[cfg(fixed)]
    cta.finish((last, memory), |_, (last, tile)| (last.end(), tile.end()));
}
