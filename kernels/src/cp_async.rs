//! `cp.async` (`__pipeline_memcpy_async`): windows that start at any element, may overlap, and are zero-filled outside the slice,
//! in a stencil and in a shifted copy.

use ptx::bulk;
use ptx::cp_async;
use ptx::global::{Global, GlobalMut};
use ptx::group::{AfterSync, Cta, Together};
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::shared::{Published, Shared, SharedArray};

/// Elements of a tile, which a CTA computes at a time.
const TILE: usize = 1024;
/// Elements that a CTA reads for a tile: one more 16-byte vector on each side, of which the stencil needs one element.
const WINDOW: usize = TILE + 8;
const THREADS: usize = 128;

ptx::shared_memory! {
    struct Smem {
        even: SharedArray<u32, WINDOW>,
        odd: SharedArray<u32, WINDOW>,
        out: SharedArray<u32, TILE>,
    }
}

/// Returns vector `v` of the tile whose window is `window`.
#[inline(always)]
fn stencil(window: &Shared<u32, WINDOW, Published>, v: usize) -> [u32; 4] {
    let x = |i| window.get(i).unwrap_or(0);
    let [a, b, c, d] = window.get_vector(v + 1).unwrap_or_default();
    let x = [x(4 * v + 3), a, b, c, d, x(4 * v + 8)];
    [0, 1, 2, 3].map(|i| x[i].wrapping_add(x[i + 1].wrapping_mul(2)).wrapping_add(x[i + 2]))
}

/// `output[i]` ← `input[i - 1] + 2 * input[i] + input[i + 1]`, wrapping, for i < n. Elements outside the slice count as zero.
///
/// Launch: 4 CTAs of 128 threads; a 1-D grid of any size works.
///
/// Technique: `cp.async` groups (`cp.async.wait_group`). Two windows are in flight while the CTA computes a third.
#[ptx::kernel(threads = THREADS as u32)]
pub fn cp_async_stencil(
    cta: Cta,
    #[shared] smem: Smem,
    #[len(n)] input: Global<u32>,
    #[len(n)] output: GlobalMut<u32, TILE>,
    n: u32,
) {
    let n = n as usize;
    let (mut tiles, tail) = output.tiles(&cta);
    let window = |tile: usize| input.vector_window::<WINDOW>((tile * (TILE / 4)) as i64 - 1);
    let (first, step, rank) =
        (cta.grid_rank() as usize, cta.grid_size() as usize, cta.thread_rank() as usize);

    // The elements after the last whole tile; all CTAs share them.
    let x = |i: usize| input.get(i).unwrap_or(0);
    tail.update(&cta, |i, _| {
        let i = n / TILE * TILE + i;
        x(i.wrapping_sub(1)).wrapping_add(x(i).wrapping_mul(2)).wrapping_add(x(i + 1))
    });
    cta.finish((smem.even, smem.odd, smem.out), |cta, (even, odd, out)| {
        // A window past the end is zero-filled, so it needs no case of its own.
        let mut queue = cp_async::load_window(cta, even, window(first))
            .commit(cta)
            .then(cta, cp_async::load_window(cta, odd, window(first + step)));
        let mut stored = AfterSync::ready(out);
        while let Some((tile, dst)) = tiles.next_tile() {
            // After this one barrier, the next window has arrived, and the store has read the previous tile.
            let (((x, _), newer), out) = (queue.wait_oldest(), stored).sync(cta);
            let y = out.vector_stores();
            for round in 0..TILE / 4 / THREADS {
                let v = round * THREADS + rank;
                y.set_vector(v, stencil(&x, v));
            }
            let (free, y) = (x.release(), y.to_async()).sync(cta);
            let store = bulk::store(cta, y, dst).commit(cta);
            queue = newer.then(cta, cp_async::load_window(cta, free, window(tile + 2 * step)));
            stored = store.wait_read(cta);
        }
        let ((even, ()), (odd, ())) = queue.wait().end();
        (even, odd, stored.end())
    });
}

/// Elements by which [`cp_async_shift`] moves the input: not a multiple of 16 bytes, so a bulk copy could not load the window.
const SHIFT: usize = 3;
/// Elements of a tile of [`cp_async_shift`].
const SHIFTED: usize = 512;

ptx::shared_memory! {
    struct Shifted {
        even: SharedArray<u32, SHIFTED>,
        odd: SharedArray<u32, SHIFTED>,
        // Each thread arrives once itself, and once by its copies.
        even_full: Mbarrier<Uninit, 2>,
        odd_full: Mbarrier<Uninit, 2>,
    }
}

/// `output[i]` ← `input[i + 3]` for i < n. Elements past the end count as zero.
///
/// Launch: 3 CTAs of 128 threads; a 1-D grid of any size works.
///
/// Technique: `cp.async.mbarrier.arrive.noinc`. The copies of each of two windows arrive at that window's mbarrier, phase after
/// phase, and a bulk async copy stores the whole tile.
#[ptx::kernel(threads = 128)]
pub fn cp_async_shift(
    cta: Cta,
    #[shared] smem: Shifted,
    #[len(n)] input: Global<u32>,
    #[len(n)] output: GlobalMut<u32, SHIFTED>,
    n: u32,
) {
    let n = n as usize;
    let (mut tiles, tail) = output.tiles(&cta);
    let window = |tile: usize| input.window::<SHIFTED>((tile * SHIFTED + SHIFT) as i64);
    let (first, step) = (cta.grid_rank() as usize, cta.grid_size() as usize);

    // The elements after the last whole tile; all CTAs share them.
    tail.update(&cta, |i, _| input.get(n / SHIFTED * SHIFTED + i + SHIFT).unwrap_or(0));
    let lent = (smem.even, smem.odd, smem.even_full, smem.odd_full);
    cta.finish(lent, |cta, (even, odd, even_full, odd_full)| {
        // A window past the end is zero-filled, so it needs no case of its own.
        let mut older = cp_async::load_window(cta, even, window(first)).arrive_on_noinc(cta, even_full);
        let mut newer = cp_async::load_window(cta, odd, window(first + step)).arrive_on_noinc(cta, odd_full);
        while let Some((tile, dst)) = tiles.next_tile() {
            let (full, (x, _)) = older.wait(cta);
            let x = bulk::store(cta, x.to_async().sync(cta), dst).commit(cta).wait_read(cta).sync(cta);
            older = newer;
            newer = cp_async::load_window(cta, x, window(tile + 2 * step)).arrive_on_noinc(cta, full);
        }
        let ((_, (x, _)), (_, (other, _))) = (older.wait(cta), newer.wait(cta));
        (x.end(), other.end(), (), ())
    });
}
