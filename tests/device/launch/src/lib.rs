//! Kernels by `#[ptx::kernel]`, with parameters of every kind. `tests/kernel.rs` builds them for the device and for the host.

#![cfg_attr(target_arch = "nvptx64", no_std, feature(abi_ptx, asm_experimental_arch))]
#![cfg_attr(not(target_arch = "nvptx64"), allow(unused_imports))]

use ptx::atomic::GlobalAtomics;
use ptx::bulk::{self, GlobalReduce, LoadBuffer};
use ptx::global::{Global, GlobalElementsMut, GlobalMatrix, GlobalMatrixMut, GlobalMut, GlobalRowsMut};
use ptx::group::{Cta, Together};
use ptx::launch::Prerequisite;
use ptx::pipeline::RingMemory;
use ptx::qualifier::{op, scope, sem, swizzle_mode};
use ptx::shared::{DynamicShared, Element, SharedArray};
use ptx::tensor::{self, Box2, TensorMap, TensorMapMut};

ptx::panic_handler!();

/// Computes y ← a·x + y.
#[ptx::kernel(unsafe(uniform), threads = 256, min_ctas = 2)]
pub fn axpy(
    cta: Cta,
    #[dynamic] ring: RingMemory<[f32; 3584], 2>,
    a: f32,
    x: Global<f32>,
    y: GlobalMut<f32, 3584>,
) {
    let (x, x_tail) = x.tiles::<3584>();
    let (y, y_tail) = y.tiles(&cta);
    y_tail.update(&cta, |i, y| x_tail.get(i).map_or(y, |x| a * x + y));
    cta.finish(ring, |cta, ring| ring.update_all(cta, [x], y, |[x], y| a * x + y).end());
}

/// A struct that stock rustc does not compile as a parameter, because of its alignment.
#[derive(ptx::Plain, Clone, Copy)]
#[repr(C, align(64))]
pub struct Weights {
    pub scale: f32,
    pub taps: [f32; 5],
    pub wraps: bool,
}

/// Computes `y[i]` ← the weighted sum of five elements of `x`, starting at `i`.
#[ptx::kernel(unsafe(uniform), threads = (32, 4), max_registers = 64, any_grid)]
pub fn blur(
    cta: Cta,
    weights: Weights,
    x: Global<f32>,
    #[allow(unused_mut)] mut y: GlobalElementsMut<f32, u32>,
) {
    cta.sync();
    for (i, y) in y.elements(&cta) {
        let at = |tap: usize| {
            let i = i + tap;
            x.get(if weights.wraps && i >= x.len() { i - x.len() } else { i }).unwrap_or(0.0)
        };
        let [a, b, c, d, e] = weights.taps;
        let sum = a * at(0) + b * at(1) + c * at(2) + d * at(3) + e * at(4);
        y.write(weights.scale * sum);
    }
    cta.sync();
}

ptx::shared_memory! {
    /// A tile to store, and a loaded tile with its mbarrier.
    pub struct Smem { stored: SharedArray<f32, 1024>, loaded: LoadBuffer<f32, 1024> }
}

type Swizzled = Box2<32, 32, swizzle_mode::B128>;

/// Copies a matrix by boxes of 32 by 32. The loads swizzle, and the stores do not.
#[ptx::kernel(unsafe(uniform), threads = 128)]
pub fn copy_boxes(
    cta: Cta,
    #[shared] smem: Smem,
    from: TensorMap<f32, Swizzled>,
    to: TensorMapMut<f32, Box2<32, 32>>,
) {
    cta.finish((smem.loaded, smem.stored), |cta, (mut tile, mut out)| {
        let mut boxes = to.tiles(cta);
        while let Some((index, to)) = boxes.next_tile() {
            let loaded = tile.load(cta, from.box_at(index)).wait(cta);
            let rows = loaded.as_2d::<32>().swizzled(Swizzled::SWIZZLE);
            let full = out.write(cta, |i| rows.get([i % 32, i / 32]).unwrap_or(0.0)).to_async().sync(cta);
            let stored = tensor::store(cta, full, to).commit(cta).wait_read(cta);
            (tile, out) = (loaded.release(), stored).sync(cta);
        }
        (tile.end(), out.end())
    });
}

/// Adds the rows of a matrix, after the grids before this one, and counts the rows.
#[ptx::kernel(unsafe(uniform), threads = 64, cluster = 2)]
pub fn add_rows(
    cta: Cta,
    #[dynamic] (partial, more): (SharedArray<u32, 256>, SharedArray<u32, 128>),
    rows: Prerequisite<GlobalMatrix<u32>>,
    sums: Prerequisite<GlobalReduce<u32, 256>>,
    count: GlobalAtomics<u64, scope::Gpu>,
    doubled: GlobalRowsMut<u32>,
) {
    let (rows, sums) = (rows.wait(&cta), sums.wait(&cta));
    for _row in doubled.rows(&cta) {
        if let Some(count) = count.get(0).filter(|_| cta.is_leader()) {
            count.add(1, sem::Relaxed);
        }
    }
    let _ = (rows.row(0), more);
    cta.finish(partial, |cta, partial| {
        let partial = partial.write(cta, |i| i as u32).to_async().sync(cta);
        match sums.get(0) {
            Some(sums) => bulk::reduce(cta, op::Add, partial, sums).commit(cta).wait_read(cta).end(),
            None => partial.end(),
        }
    });
}

/// Counts the elements, after the grids before this one if there is something to add.
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn add_if(cta: Cta, sums: Prerequisite<GlobalElementsMut<u32>>, add: u32) {
    if add != 0 {
        sums.wait(&cta).elements(&cta).for_each(|(_, sum)| sum.write(sum.read() + add));
    }
}

/// Fills `len` elements with all threads.
///
/// # Safety
///
/// `to` is the address of `len` elements that only this grid uses.
#[ptx::kernel(unsafe(uniform), max_threads = 32)]
pub unsafe fn fill(cta: Cta, #[dynamic] _rest: DynamicShared, to: *mut u32, len: usize, value: u32) {
    // SAFETY: as this function's `# Safety`; each thread makes the handle once.
    let to = unsafe { GlobalElementsMut::<u32, usize>::from_raw(to, len) };
    for (_, to) in to.elements(&cta) {
        to.write(value);
    }
}

ptx::shared_memory! {
    /// A tile of each factor.
    pub struct Tiles<T: Element, const A: usize, const B: usize> { a: SharedArray<T, A>, b: SharedArray<T, B> }
}

/// Computes c ← a·b, a CTA for each tile of `c` and a thread for each of its vectors. With each step, the CTA loads a tile of
/// `DEPTH` columns of `a` and one of as many rows of `b`.
#[ptx::kernel(
    unsafe(uniform),
    threads = (ROWS * COLUMNS / LANES) as u32,
    any_grid,
    instances(<f32, 4, 16, 16, 8>, <f32, 4, 8, 32, 16>, <u64, 2, 16, 8, 8>)
)]
pub fn product<
    T: Element,
    const LANES: usize,
    const ROWS: usize,
    const COLUMNS: usize,
    const DEPTH: usize,
>(
    cta: Cta,
    #[shared] smem: Tiles<T, { ROWS * DEPTH }, { DEPTH * COLUMNS }>,
    a: GlobalMatrix<T>,
    b: GlobalMatrix<T>,
    c: GlobalMatrixMut<T, ROWS, COLUMNS>,
) {
    const THREADS: usize = ROWS * COLUMNS / LANES;
    let Some(([x, y], c)) = c.tile(&cta) else { return };
    let c = c.fragment::<1, { COLUMNS / LANES }>(&cta);
    let t = cta.thread_rank() as usize;
    let (row, column) = (t / (COLUMNS / LANES), t % (COLUMNS / LANES));
    let mut sums = [0 as T; LANES];
    cta.finish((smem.a, smem.b), |cta, (a_tile, b_tile)| {
        let (mut to_a, mut to_b) = (a_tile.vector_stores(), b_tile.vector_stores());
        let mut step = 0;
        while let (Some(from_a), Some(from_b)) =
            (a.tile::<ROWS, DEPTH>([step, y]), b.tile::<DEPTH, COLUMNS>([x, step]))
        {
            for v in (t..ROWS * DEPTH / LANES).step_by(THREADS) {
                let at = [v % (DEPTH / LANES), v / (DEPTH / LANES)];
                to_a.set_vector(v, from_a.get_vector(at).unwrap_or_default());
            }
            for v in (t..DEPTH * COLUMNS / LANES).step_by(THREADS) {
                let at = [v % (COLUMNS / LANES), v / (COLUMNS / LANES)];
                to_b.set_vector(v, from_b.get_vector(at).unwrap_or_default());
            }
            let (full_a, full_b) = (to_a.publish(), to_b.publish()).sync(cta);
            for d in 0..DEPTH {
                let a = full_a.get(row * DEPTH + d).unwrap_or_default();
                let b = full_b.get_vector(d * (COLUMNS / LANES) + column).unwrap_or_default();
                sums = core::array::from_fn(|i| sums[i] + a * b[i]);
            }
            let (a_tile, b_tile) = (full_a.release(), full_b.release()).sync(cta);
            (to_a, to_b) = (a_tile.vector_stores(), b_tile.vector_stores());
            step += 1;
        }
        (to_a.end(), to_b.end())
    });
    c.write([0, 0], sums);
}

/// The elements that [`lengths`] reads of its factors.
const FACTORS: usize = 4;

/// Writes, for each of the first `rows * columns` elements, the element of `a` times a factor, and then the number of elements of
/// each memory.
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn lengths(
    cta: Cta,
    #[len(rows, columns)] a: GlobalMatrix<f32>,
    #[len(FACTORS)] factors: Global<f32>,
    #[len(n)] x: Prerequisite<Global<f32>>,
    #[len(n)] y: GlobalElementsMut<f32, u32>,
    rows: u32,
    columns: u32,
    n: usize,
) {
    let x = x.wait(&cta);
    let of_all = x.len() as f32 + 0.5 * factors.len() as f32;
    for (i, y) in y.elements(&cta) {
        let of_row = a.row(i).map_or(0.0, |row| row.get_vector(0).unwrap_or_default()[0]);
        y.write(of_all + of_row * factors.get(i).unwrap_or_default() + x.get(i).unwrap_or_default());
    }
}
