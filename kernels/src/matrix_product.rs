//! The product of two matrices of `f32`: tiles come through shared memory, and the sums stay in registers.

use ptx::global::{GlobalMatrix, GlobalMatrixMut};
use ptx::launch::{Cta, LaunchShape};
use ptx::math::fma;
use ptx::registers::{unroll, zeroed};
use ptx::shared::{ElementStores, Shared, SharedArray, VectorStores};

/// Rows and columns of the tile of a CTA, and what it adds up at a time.
const TILE: usize = 128;
const DEPTH: usize = 8;
/// Elements of a row of a tile of `a`, which lies there by columns: by four more, so that stores hit other banks.
const A_ROW: usize = TILE + 4;

/// 256 threads, in a grid of two dimensions; registers for two CTAs a multiprocessor.
enum Shape {}
impl LaunchShape for Shape {
    const BLOCK: [u32; 3] = [256, 1, 1];
    const GRID_OF_ANY_RANK: bool = true;
    const MIN_CTAS: Option<u32> = Some(2);
}

type TileA = SharedArray<f32, { DEPTH * A_ROW }>;
type TileB = SharedArray<f32, { DEPTH * TILE }>;
type ToA<'s> = Shared<'s, f32, { DEPTH * A_ROW }, ElementStores>;
type ToB<'s> = Shared<'s, f32, { DEPTH * TILE }, VectorStores>;

ptx::shared_memory! {
    struct Smem { a: TileA, b: TileB, other_a: TileA, other_b: TileB }
}

/// c ← a · b, all row-major: `a` is m × k, `b` is k × n. A grid of n / 128 by m / 128 CTAs of 256 threads. Each thread has 8 × 8
/// elements of c in registers; while a tile is multiplied, the next one is loaded.
///
/// # Safety
///
/// - called once by every thread, at the kernel's start.
/// - `a`, `b` and `c` are the addresses, aligned to 16 bytes, of so many elements of global memory, which do not overlap; `m` and `n` are
///   multiples of 128, `k` of 8 (and not 0: `c` would stay as it is).
/// - until the grid ends nobody writes `a` and `b`, and nobody else uses `c`.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn matrix_product(
    a: *const f32,
    b: *const f32,
    c: *mut f32,
    m: u32,
    n: u32,
    k: u32,
) {
    // SAFETY: the kernel's first call; below, control flow depends on the kernel's arguments and the CTA's place alone.
    let (cta, smem, _) = unsafe { Cta::enter_with::<Smem, Shape>() };
    // SAFETY: the contract above; every thread makes the same handles, once.
    let (a, b, c) = unsafe {
        (
            GlobalMatrix::from_raw(a, m, k),
            GlobalMatrix::from_raw(b, k, n),
            GlobalMatrixMut::<_, TILE, TILE>::from_raw(c, m, n),
        )
    };
    let Some(([x, y], c)) = c.tile(&cta) else { return };
    let t = cta.thread_rank() as usize;
    let c = c.fragment::<4, 16>(&cta);

    // One vector of each tile: of `a`, four along k, which go into four rows; of `b`, four along n.
    let (a_row, a_vector) = (t / 2, t % 2);
    let load = |depth: u32| {
        let depth = depth as usize;
        let (a, b) = (a.tile::<TILE, DEPTH>([depth, y])?, b.tile::<DEPTH, TILE>([x, depth])?);
        Some((a.get_vector([a_vector, a_row])?, b.get_vector([t % 32, t / 32])?))
    };
    let Some(first) = load(0) else { return };
    let put = |to_a: &ToA<'_>, to_b: &ToB<'_>, (u, v): ([f32; 4], [f32; 4])| {
        let to_a = to_a.as_2d::<A_ROW>();
        unroll::<4>(|i| _ = to_a.set([a_row, 4 * a_vector + i], u[i]));
        to_b.set_vector(t, v);
    };
    let mut sums: [[f32; 8]; 8] = zeroed();

    cta.lend_last((smem.a, smem.b, smem.other_a, smem.other_b), |cta, (a, b, other_a, other_b)| {
        let (mut next_a, mut next_b) = (other_a.element_stores(), other_b.vector_stores());
        let (a, b) = (a.element_stores(), b.vector_stores());
        put(&a, &b, first);
        let (mut a, mut b) = cta.sync_with((a.publish_at_sync(), b.publish_at_sync()));
        let mut depth = 1_u32;
        loop {
            let vectors = load(depth);
            // Rows and columns of each half of the tile: a warp's vectors lie side by side.
            unroll::<DEPTH>(|d| {
                let of_a = [0, 16].map(|v| a.get_vector(d * A_ROW / 4 + t / 16 + v).unwrap_or_default());
                let of_b = [0, 16].map(|v| b.get_vector(d * TILE / 4 + t % 16 + v).unwrap_or_default());
                // Row by row, so that instructions that follow each other share a register.
                let (rows, columns) = (of_a.as_flattened(), of_b.as_flattened());
                unroll::<8>(|i| unroll::<8>(|j| sums[i][j] = fma(rows[i], columns[j], sums[i][j])));
            });
            // All threads have a vector, or none has.
            let Some(vectors) = vectors else { break };
            depth += 1;
            put(&next_a, &next_b, vectors);
            let (old_a, old_b);
            (a, b, old_a, old_b) = cta.sync_with((
                next_a.publish_at_sync(),
                next_b.publish_at_sync(),
                a.release_at_sync(),
                b.release_at_sync(),
            ));
            (next_a, next_b) = (old_a.element_stores(), old_b.vector_stores());
        }
        (a.end(), b.end(), next_a.end(), next_b.end())
    });
    unroll::<8>(|i| {
        let [left @ .., _, _, _, _] = sums[i];
        let [_, _, _, _, right @ ..] = sums[i];
        c.write([0, i], left);
        c.write([1, i], right);
    });
}
