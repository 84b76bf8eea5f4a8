//! Column sums by bulk reductions: rows come in by bulk copies and go out, added, by bulk reductions; no thread touches an
//! element.

use ptx::bulk::{self, CachePolicy, GlobalReduce};
use ptx::global::Global;
use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::qualifier::op;
use ptx::shared::SharedArray;

/// Elements of a row.
const COLUMNS: usize = 512;

ptx::shared_memory! {
    struct Smem {
        a: SharedArray<u32, COLUMNS>,
        b: SharedArray<u32, COLUMNS>,
        loaded: Mbarrier<Uninit>,
    }
}

/// `output[c]` ← `output[c]` + the sum of column `c` of `input`, wrapping, for c < 512. `input` has whole rows of 512 elements,
/// `n` in all.
///
/// All CTAs reduce into the one row at the same time; in each, two rows are under way. Run with 4 CTAs of 128 threads, `output`
/// being zero; any grid will do.
///
/// # Safety
///
/// - called once by every thread, at the kernel's start.
/// - `input` and `output` are the addresses, aligned to 16 bytes, of `n` and 512 elements of global memory, which do not overlap.
/// - until the grid ends nobody writes `input`, and nobody else uses `output`.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn bulk_reduce_columns(input: *const u32, output: *mut u32, n: u32) {
    // SAFETY: the kernel's first call; below, control flow depends on the kernel's arguments and the CTA's rank alone.
    let (cta, smem, _) = unsafe { Cta::enter::<Smem>() };
    // SAFETY: the contract above; the grid accesses `output` through such handles alone.
    let (input, sums) = unsafe {
        (Global::from_raw(input, n as usize), GlobalReduce::<_, COLUMNS>::from_raw(output, COLUMNS))
    };
    let (rows, _) = input.tiles::<COLUMNS>();
    let Some(sums) = sums.get(0) else { return };
    // A row is read once, the sums by all.
    let (once, often) = (CachePolicy::evict_first(), CachePolicy::evict_last());
    let (mut row, step) = (cta.rank() as usize, cta.count() as usize);

    cta.lend(((smem.a, smem.b), smem.loaded.init(&cta)), |cta, ((mut a, mut b), mut loaded)| {
        while let (Some(first), Some(second)) = (rows.get(row), rows.get(row + step)) {
            if let Some(next) = rows.get(row + 2 * step) {
                bulk::prefetch(cta, next);
            }
            // Both rows on one mbarrier.
            let load = bulk::load(cta, loaded, (a, b), (first.cache_hint(once), second.cache_hint(once)));
            let (ready, (first, second), _) = load.wait(cta);
            loaded = ready;
            let queue = bulk::reduce(cta, op::Add, first, sums.cache_hint(often)).commit(cta);
            let queue = queue.then(cta, bulk::reduce(cta, op::Add, second, sums.cache_hint(often)));

            let (read, _writing, queue) = queue.wait_read_oldest(cta);
            a = read.release(cta);
            let (read, _writing) = queue.wait_read(cta);
            b = read.release(cta);
            row += 2 * step;
        }
        // An odd row.
        if let Some(last) = rows.get(row) {
            let (ready, last, _) = bulk::load(cta, loaded, a, last.cache_hint(once)).wait(cta);
            loaded = ready;
            let (read, _) = bulk::reduce(cta, op::Add, last, sums).commit(cta).wait(cta);
            a = read.release(cta);
        }
        ((a, b), loaded)
    });
}
