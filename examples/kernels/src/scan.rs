use ptx::atomic::GlobalAtomics;
use ptx::bulk;
use ptx::global::{Global, GlobalMut};
use ptx::group::{AfterSync, Cta};
use ptx::qualifier::{scope, sem};
use ptx::reduce::ReduceMemory;
use ptx::shared::SharedArray;

const THREADS: usize = 256;
/// Each thread has a vector of four words of a tile.
const TILE: usize = 4 * THREADS;

ptx::shared_memory! {
    struct Partials { partials: ReduceMemory<u32> }
}

/// The first pass: `totals[t]` ← the sum of tile t of `input`, for each whole tile.
#[ptx::kernel(threads = THREADS as u32)]
pub fn total_tiles(
    cta: Cta,
    #[shared] smem: Partials,
    input: Global<u32>,
    totals: GlobalAtomics<u32, scope::Gpu>,
) {
    let (mut partials, thread) = (smem.partials, cta.thread_rank() as usize);
    let mut tile = cta.grid_rank() as usize;
    while tile < input.len() / TILE {
        let words = input.get_vector(tile * THREADS + thread).unwrap_or_default();
        let total = partials.reduce_add(&cta, words.into_iter().fold(0, u32::wrapping_add));
        if let (true, Some(to)) = (cta.is_leader(), totals.get(tile)) {
            to.store(total, sem::Relaxed);
        }
        tile += cta.grid_size() as usize;
    }
}

ptx::shared_memory! {
    struct Smem { out: SharedArray<u32, TILE>, partials: ReduceMemory<u32> }
}

/// The second pass: `output[i]` ← the sum of `input[0]` to `input[i]`, wrapping, for the whole tiles.
#[ptx::kernel(threads = THREADS as u32)]
pub fn scan_tiles(
    cta: Cta,
    #[shared] smem: Smem,
    input: Global<u32>,
    totals: Global<u32>,
    output: GlobalMut<u32, TILE>,
) {
    let (mut partials, thread) = (smem.partials, cta.thread_rank() as usize);
    let (mut mine, _) = output.tiles(&cta);
    cta.finish(smem.out, |cta, out| {
        let mut stored = AfterSync::ready(out);
        // The sum of the tiles below `counted`.
        let (mut below, mut counted) = (0_u32, 0);
        while let Some((tile, to)) = mine.next_tile() {
            let (mut part, mut t) = (0_u32, counted + thread);
            while t < tile {
                part = part.wrapping_add(totals.get(t).unwrap_or(0));
                t += THREADS;
            }
            below = below.wrapping_add(partials.reduce_add(cta, part));
            counted = tile;

            let [a, b, c, d] = input.get_vector(tile * THREADS + thread).unwrap_or_default();
            let (ab, cd) = (a.wrapping_add(b), c.wrapping_add(d));
            let (before, _) = partials.exclusive_sum(cta, ab.wrapping_add(cd));
            let sums = [a, ab, ab.wrapping_add(c), ab.wrapping_add(cd)];

            let out = stored.sync(cta).vector_stores(); // the last store has read the array
            out.set_vector(thread, sums.map(|sum| sum.wrapping_add(before).wrapping_add(below)));
            let full = out.to_async().sync(cta);
            stored = bulk::store(cta, full, to).commit(cta).wait_read(cta);
        }
        stored.end()
    });
}
