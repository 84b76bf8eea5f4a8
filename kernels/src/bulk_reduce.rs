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
        a_bar: Mbarrier<Uninit>,
        b_bar: Mbarrier<Uninit>,
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

    let (a_bar, b_bar) = (smem.a_bar.init(&cta), smem.b_bar.init(&cta));
    cta.lend((smem.a, smem.b, a_bar, b_bar), |cta, (mut a, mut b, mut a_bar, mut b_bar)| {
        while let (Some(first), Some(second)) = (rows.get(row), rows.get(row + step)) {
            if let Some(next) = rows.get(row + 2 * step) {
                bulk::prefetch(cta, next);
            }
            let a_load = bulk::load_cache_hint(cta, a_bar, a, first, once);
            let b_load = bulk::load_cache_hint(cta, b_bar, b, second, once);

            let (bar, loaded, _) = a_load.wait(cta);
            a_bar = bar;
            let queue = bulk::reduce_cache_hint(cta, op::Add, loaded, sums, often).commit(cta);
            let (bar, loaded, _) = b_load.wait(cta);
            b_bar = bar;
            let queue = queue.then(cta, bulk::reduce_cache_hint(cta, op::Add, loaded, sums, often));

            let (read, _writing, queue) = queue.wait_read_oldest(cta);
            a = read.release(cta);
            let (read, _writing) = queue.wait_read(cta);
            b = read.release(cta);
            row += 2 * step;
        }
        // An odd row.
        if let Some(last) = rows.get(row) {
            let (bar, loaded, _) = bulk::load_cache_hint(cta, a_bar, a, last, once).wait(cta);
            a_bar = bar;
            let (read, _) = bulk::reduce(cta, op::Add, loaded, sums).commit(cta).wait(cta);
            a = read.release(cta);
        }
        (a, b, a_bar, b_bar)
    });
}
