//! The source of a store is free after the barrier that tells all threads that the store has read it.

use ptx::bulk::{BulkGroup, Committed};
use ptx::global::GlobalTileMut;
use ptx::group::Cta;
use ptx::shared::{Fenced, Free, Shared};

type Tile<'s, State> = Shared<'s, u32, 64, State>;

pub fn kernel<'s>(cta: &Cta, store: BulkGroup<(Tile<'s, Fenced>, GlobalTileMut<u32, 64>), Committed>) -> Tile<'s, Free> {
    #[cfg(not(fixed))]
    {
        store.wait_read(cta)
    }
    #[cfg(fixed)]
    {
        store.wait_read(cta).sync(cta)
    }
}
