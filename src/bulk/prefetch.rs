//! Bulk prefetches into the L2 cache (`cp.async.bulk.prefetch`, 9.7.9.25.4.3).

use crate::cache_policy::MaybeHinted;
use crate::global::GlobalTile;
use crate::group::ThreadGroup;
use crate::raw;
use crate::shared::Element;
use crate::size;

/// Hints that the L2 cache should fetch a tile of global memory for a later load (`cp.async.bulk.prefetch.L2`). No thread waits
/// for a prefetch.
///
/// Collective in the group.
///
/// PTX, by the leader: `cp.async.bulk.prefetch.L2.global [src], bytes;`
///
/// ```
/// # use ptx::{bulk, global::Tiles, group::Cta};
/// # fn kernel(cta: &Cta, src: Tiles<f32, 1024>, i: usize) {
/// if let Some(later) = src.get(i + 8) {
///     bulk::prefetch(cta, later);
/// }
/// # }
/// ```
#[inline(always)]
#[track_caller]
pub fn prefetch<T: Element, const N: usize>(
    group: &impl ThreadGroup,
    src: impl MaybeHinted<GlobalTile<T, N>>,
) {
    meet!(group);
    let (src, hint) = src.split();
    if group.is_leader() {
        // SAFETY: the type of the tile proves that its address is in global memory, and proves its size and alignment.
        unsafe { raw::cp_async_bulk_prefetch_global(src.base.cast(), const { size::tile::<T, N>() }, hint) }
    }
}
