//! Bulk prefetches (9.7.9.25.4.3).

use super::tile_bytes;
use crate::cache_policy::MaybeHinted;
use crate::global::GlobalTile;
use crate::group::ThreadGroup;
use crate::raw;
use crate::shared::Element;

/// Asks for a tile in the L2 cache, for a load that comes later. Nothing waits for it.
///
/// Collective in the group.
///
/// PTX, by the leader: `cp.async.bulk.prefetch.L2.global [src], bytes;`
///
/// ```
/// # use ptx::{bulk, global::Tiles, launch::Cta};
/// # fn kernel(cta: &Cta, src: Tiles<f32, 1024>, i: usize) {
/// if let Some(later) = src.get(i + 8) {
///     bulk::prefetch(cta, later);
/// }
/// # }
/// ```
#[inline(always)]
pub fn prefetch<T: Element, const N: usize>(
    group: &impl ThreadGroup,
    src: impl MaybeHinted<GlobalTile<T, N>>,
) {
    let (src, hint) = src.split();
    if group.is_leader() {
        // SAFETY: the tile's type proves the size and the alignment; the tile lies in global memory.
        unsafe { raw::cp_async_bulk_prefetch_global(src.base.cast(), const { tile_bytes::<T, N>() }, hint) }
    }
}
