//! `cp.async`: windows that start at any element, may overlap, and are zero beyond the ends, in a stencil and in a shifted copy.

use ptx::bulk;
use ptx::cp_async;
use ptx::global::{Global, GlobalMut};
use ptx::launch::{AfterSync, Block, Cta};
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::shared::{Published, Shared, SharedArray};

/// Elements of a tile, which a CTA computes at a time.
const TILE: usize = 1024;
/// What it reads for them: a vector of sixteen bytes more at each side, of which it needs one neighbour.
const WINDOW: usize = TILE + 8;
const THREADS: usize = 128;

ptx::shared_memory! {
    struct Smem {
        even: SharedArray<u32, WINDOW>,
        odd: SharedArray<u32, WINDOW>,
        out: SharedArray<u32, TILE>,
    }
}

/// Vector `v` of the tile whose window it is.
#[inline(always)]
fn stencil(window: &Shared<u32, WINDOW, Published>, v: usize) -> [u32; 4] {
    let x = |i| window.get(i).unwrap_or(0);
    let [a, b, c, d] = window.get_vector(v + 1).unwrap_or_default();
    let x = [x(4 * v + 3), a, b, c, d, x(4 * v + 8)];
    [0, 1, 2, 3].map(|i| x[i].wrapping_add(x[i + 1].wrapping_mul(2)).wrapping_add(x[i + 2]))
}

/// `output[i]` ← `input[i - 1] + 2 * input[i] + input[i + 1]`, wrapping, for i < n; elements beyond the ends are zero.
///
/// Two windows are in flight while one is computed. Run with 4 CTAs of 128 threads; any grid will do.
///
/// # Safety
///
/// - called once by every thread, at the kernel's start.
/// - `input` and `output` are the addresses, aligned to 16 bytes, of `n` elements of global memory each, which do not overlap.
/// - until the grid ends nobody writes `input`, and nobody else uses `output`.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn cp_async_stencil(input: *const u32, output: *mut u32, n: u32) {
    let n = n as usize;
    // SAFETY: the kernel's first call; below, control flow depends on the kernel's arguments and the CTA's rank alone.
    let (cta, smem, _) = unsafe { Cta::enter_with::<Smem, Block<{ THREADS as u32 }>>() };
    // SAFETY: the contract above; every thread makes the same handles, once.
    let (input, output) = unsafe { (Global::from_raw(input, n), GlobalMut::<_, TILE>::from_raw(output, n)) };
    let (mut tiles, tail) = output.tiles(&cta);
    let window = |tile: usize| input.vector_window::<WINDOW>((tile * (TILE / 4)) as i64 - 1);
    let (first, step, rank) =
        (cta.grid_rank() as usize, cta.grid_size() as usize, cta.thread_rank() as usize);

    // The elements after the last whole tile, which all CTAs share.
    let x = |i: usize| input.get(i).unwrap_or(0);
    tail.update(&cta, |i, _| {
        let i = n / TILE * TILE + i;
        x(i.wrapping_sub(1)).wrapping_add(x(i).wrapping_mul(2)).wrapping_add(x(i + 1))
    });
    cta.async_scope_last((smem.even, smem.odd, smem.out), |cta, (even, odd, out)| {
        // Windows past the end are zeros: no case of their own.
        let mut queue = cp_async::load_window(cta, even, window(first))
            .commit(cta)
            .then(cta, cp_async::load_window(cta, odd, window(first + step)));
        let mut stored = AfterSync::ready(out.into_fenced());
        while let Some((tile, dst)) = tiles.next_tile() {
            // One barrier: the next window is here, and the tile before has been read.
            let (((x, _), newer), out) = cta.sync_with((queue.wait_oldest_at_sync(), stored));
            let y = out.into_free().vector_stores();
            for round in 0..TILE / 4 / THREADS {
                let v = round * THREADS + rank;
                y.set_vector(v, stencil(&x, v));
            }
            let (free, y) = cta.sync_with((x.release_at_sync(), y.to_async_at_sync()));
            let store = bulk::store(cta, y, dst).commit(cta);
            queue = newer.then(cta, cp_async::load_window(cta, free, window(tile + 2 * step)));
            stored = store.wait_read_at_sync(cta).first();
        }
        let ((even, ()), (odd, ())) = queue.wait_at_sync().end();
        (even, odd, stored.end())
    });
}

/// By how many elements [`cp_async_shift`] moves: no multiple of the 16 bytes that bulk copies are aligned to.
const SHIFT: usize = 3;
/// Elements of a tile that it moves.
const SHIFTED: usize = 512;

ptx::shared_memory! {
    struct Shifted {
        even: SharedArray<u32, SHIFTED>,
        odd: SharedArray<u32, SHIFTED>,
        // An arrival of each thread, and one of its copies.
        even_full: Mbarrier<Uninit, 2>,
        odd_full: Mbarrier<Uninit, 2>,
    }
}

/// `output[i]` ← `input[i + 3]` for i < n; elements beyond the end are zero.
///
/// `cp.async` reads from any element, each of two windows counted in an mbarrier of its own, phase after phase; a bulk copy writes
/// the whole tile. Run with 3 CTAs of 128 threads; any grid will do.
///
/// # Safety
///
/// - called once by every thread, at the kernel's start.
/// - `input` and `output` are the addresses, aligned to 16 bytes, of `n` elements of global memory each, which do not overlap.
/// - until the grid ends nobody writes `input`, and nobody else uses `output`.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn cp_async_shift(input: *const u32, output: *mut u32, n: u32) {
    let n = n as usize;
    // SAFETY: the kernel's first call; below, control flow depends on the kernel's arguments and the CTA's rank alone.
    let (cta, smem, _) = unsafe { Cta::enter_with::<Shifted, Block<128>>() };
    // SAFETY: the contract above; every thread makes the same handles, once.
    let (input, output) =
        unsafe { (Global::from_raw(input, n), GlobalMut::<_, SHIFTED>::from_raw(output, n)) };
    let (mut tiles, tail) = output.tiles(&cta);
    let window = |tile: usize| input.window::<SHIFTED>((tile * SHIFTED + SHIFT) as i64);
    let (first, step) = (cta.grid_rank() as usize, cta.grid_size() as usize);

    // The elements after the last whole tile, which all CTAs share.
    tail.update(&cta, |i, _| input.get(n / SHIFTED * SHIFTED + i + SHIFT).unwrap_or(0));
    let lent = (smem.even, smem.odd, smem.even_full.init(&cta), smem.odd_full.init(&cta));
    cta.async_scope_last(lent, |cta, (even, odd, even_full, odd_full)| {
        // Windows past the end are zeros: no case of their own.
        let mut older = cp_async::load_window(cta, even, window(first)).arrive_on_noinc(cta, even_full);
        let mut newer = cp_async::load_window(cta, odd, window(first + step)).arrive_on_noinc(cta, odd_full);
        while let Some((tile, dst)) = tiles.next_tile() {
            let (full, (x, _)) = older.wait(cta);
            let (x, _writing) = bulk::store(cta, x.to_async(cta), dst).commit(cta).wait_read(cta);
            older = newer;
            newer =
                cp_async::load_window(cta, x.into_free(), window(tile + 2 * step)).arrive_on_noinc(cta, full);
        }
        let ((_, (x, _)), (_, (other, _))) = (older.wait(cta), newer.wait(cta));
        (x.end(), other.end(), (), ())
    });
}
