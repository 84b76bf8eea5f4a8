use ptx::atomic::GlobalAtomics;
use ptx::bulk;
use ptx::global::{Global, GlobalMut, GlobalTickets};
use ptx::group::{AfterSync, Cta};
use ptx::qualifier::{scope, sem};
use ptx::reduce::ReduceMemory;
use ptx::registers::{unroll, zeroed};
use ptx::shared::SharedArray;
use ptx::warp::Warp;

const THREADS: usize = 256;
/// Each warp scans this many words of a tile, by rounds of a vector of four words a lane.
const OF_WARP: usize = 4 * ROUNDS * 32;
const ROUNDS: usize = 4;
const TILE: usize = THREADS / 32 * OF_WARP;

/// What a block says about each tile: a tag in the upper half and a sum in the lower one, which one store brings together.
type Sums = GlobalAtomics<u64, scope::Gpu>;
/// The sum is that of the tile.
const OF_TILE: u64 = 1 << 32;
/// The sum is that of the tile and of all tiles below.
const UP_TO_TILE: u64 = 2 << 32;

/// Returns the sum of all tiles below `tile`. Each lane looks at a tile, the lowest lane at the nearest one below.
fn sum_below(warp: &Warp<'_>, sums: Sums, tile: usize) -> u32 {
    let (mut end, mut below) = (tile, 0_u32);
    while end > 0 {
        // Before the first tile there is nothing.
        let at = end.checked_sub(1 + warp.lane() as usize).and_then(|t| sums.get(t));
        let said = at.map_or(UP_TO_TILE, |sum| sum.load(sem::Relaxed));
        // The lanes from the nearest tile to the first whose sum includes all tiles below.
        let last = warp.ballot(said >= UP_TO_TILE).bits().trailing_zeros();
        let counts = warp.lane() <= last;
        if warp.any(counts && said < OF_TILE) {
            continue; // one of these tiles has no sum yet
        }
        below = below.wrapping_add(warp.reduce_add(if counts { said as u32 } else { 0 }));
        if last < 32 {
            break;
        }
        end -= 32;
    }
    below
}

ptx::shared_memory! {
    struct Smem { out: SharedArray<u32, TILE>, partials: ReduceMemory<u32>, tickets: ReduceMemory<u64> }
}

/// `output[i]` ← the sum of `input[0]` to `input[i - 1]`, wrapping, in one pass. `sums` and `tickets` are 0 at the start.
#[ptx::kernel(threads = THREADS as u32)]
pub fn scan_by_look_back(
    cta: Cta,
    #[shared] smem: Smem,
    input: Global<u32>,
    sums: GlobalAtomics<u64, scope::Gpu>,
    tickets: GlobalTickets,
    output: GlobalMut<u32, TILE>,
) {
    let (mut partials, mut next) = (smem.partials, smem.tickets);
    let (thread, lane) = (cta.thread_rank() as usize, cta.warp().lane());
    let say = |tile: usize, tag: u64, sum: u32| {
        if let (true, Some(to)) = (thread == 0, sums.get(tile)) {
            to.store(tag | u64::from(sum), sem::Relaxed);
        }
    };
    let whole = output.len() / TILE;
    // By tickets, the blocks of all tiles below run or have ended: a block that looks back waits for none that has yet to start.
    let (mut tiles, tail) = output.tiles_by_ticket(&cta, tickets);
    cta.finish(smem.out, |cta, out| {
        let mut stored = AfterSync::ready(out);
        while let Some((tile, to)) = tiles.next_tile(cta, &mut next) {
            let warp = cta.warp();
            let first = cta.warp_rank() as usize * OF_WARP / 4 + lane as usize;
            let mut vectors: [[u32; 4]; ROUNDS] = zeroed();
            if let Some(loaded) = input.get_vectors::<ROUNDS, 32>(tile * TILE / 4 + first) {
                vectors = loaded;
            }
            // The words of the warp below each vector, then those of the warp.
            let (mut before, mut of_warp) = ([0_u32; ROUNDS], 0_u32);
            unroll::<ROUNDS>(|round| {
                let own = vectors[round].into_iter().fold(0, u32::wrapping_add);
                let upto = warp.inclusive_sum(own);
                before[round] = of_warp.wrapping_add(upto.wrapping_sub(own));
                of_warp = of_warp.wrapping_add(warp.shuffle(upto, 31));
            });
            // One lane brings the warp's sum, so the lanes after it get a sum that includes it.
            let (lower, of_tile) = partials.exclusive_sum(cta, if lane == 0 { of_warp } else { 0 });
            let of_lower_warps = if lane == 0 { lower } else { lower.wrapping_sub(of_warp) };

            say(tile, OF_TILE, of_tile);
            let below = sum_below(&warp, sums, tile);
            say(tile, UP_TO_TILE, below.wrapping_add(of_tile));

            let out = stored.sync(cta).vector_stores(); // the last store has read the array
            unroll::<ROUNDS>(|round| {
                let ([a, b, c, _], at) = (vectors[round], before[round].wrapping_add(of_lower_warps));
                let (at, ab) = (at.wrapping_add(below), a.wrapping_add(b));
                let sums = [0, a, ab, ab.wrapping_add(c)].map(|sum| at.wrapping_add(sum));
                out.set_vector(first + 32 * round, sums);
            });
            let full = out.to_async().sync(cta);
            stored = bulk::store(cta, full, to).commit(cta).wait_read(cta);
        }
        // One block has the words after the last whole tile.
        if let Some(tile) = tail.tile(cta) {
            let (rounds, mut below) = (tile.len().div_ceil(THREADS), sum_below(&cta.warp(), sums, whole));
            let mut places = tile.elements(cta);
            for round in 0..rounds {
                let word = input.get(whole * TILE + round * THREADS + thread).unwrap_or(0);
                let (before, sum) = partials.exclusive_sum(cta, word);
                if let Some((_, place)) = places.next() {
                    place.write(below.wrapping_add(before));
                }
                below = below.wrapping_add(sum);
            }
        }
        stored.end()
    });
}
