//! Matrix product of `f32` (SGEMM without tensor cores): tiles in shared memory, sums in registers.

use ptx::global::{GlobalMatrix, GlobalMatrixMut, MatrixTile};
use ptx::group::{Cta, Together};
use ptx::math::fma;
use ptx::registers::{unroll, zeroed};
use ptx::shared::{ElementStores, Published, Shared, SharedArray, VectorStores};

/// Rows and columns of a CTA's tile of `c`, and the depth (along k) that a round multiplies.
const TILE: usize = 128;
const DEPTH: usize = 16;
/// The depth that is loaded at a time: each thread loads one vector of each matrix.
const HALF: usize = DEPTH / 2;
/// Length of a row of the tile of `a`, which is stored transposed. Four elements of padding spread the stores over the banks.
const A_ROW: usize = TILE + 4;

type TileA = SharedArray<f32, { DEPTH * A_ROW }>;
type TileB = SharedArray<f32, { DEPTH * TILE }>;
type ToA<'s> = Shared<'s, f32, { DEPTH * A_ROW }, ElementStores>;
type ToB<'s> = Shared<'s, f32, { DEPTH * TILE }, VectorStores>;

type PublishedA<'s> = Shared<'s, f32, { DEPTH * A_ROW }, Published>;
type PublishedB<'s> = Shared<'s, f32, { DEPTH * TILE }, Published>;

ptx::shared_memory! {
    struct Smem { a: TileA, b: TileB, other_a: TileA, other_b: TileB }
}

/// Adds the products of a column of `a` and a row of `b`. Odd rows run backwards, so that consecutive instructions share
/// registers.
#[inline(always)]
fn multiply(mut sums: [[f32; 8]; 8], (of_b, of_a): ([[f32; 4]; 2], [[f32; 4]; 2])) -> [[f32; 8]; 8] {
    let (rows, columns) = (of_a.as_flattened(), of_b.as_flattened());
    unroll::<8>(|i| {
        unroll::<8>(|j| {
            let j = if i % 2 == 0 { j } else { 7 - j };
            sums[i][j] = fma(rows[i], columns[j], sums[i][j]);
        });
    });
    sums
}

/// `c` ← `a` · `b`, all row-major: `a` is m × k, `b` is k × n.
///
/// Launch: a grid of n / 128 by m / 128 CTAs of 256 threads.
///
/// Technique: double buffering. Each thread holds 8 × 8 elements of `c` in registers, and the CTA loads the next tiles while it
/// multiplies the present ones.
#[ptx::kernel(threads = 256, any_grid, min_ctas = 2)]
pub fn matrix_product(
    cta: Cta,
    #[shared] smem: Smem,
    #[len(m, k)] a: GlobalMatrix<f32>,
    #[len(k, n)] b: GlobalMatrix<f32>,
    #[len(m, n)] c: GlobalMatrixMut<f32, TILE, TILE>,
    m: u32,
    n: u32,
    k: u32,
) {
    let Some(([x, y], c)) = c.tile(&cta) else { return };
    let t = cta.thread_rank() as usize;
    let c = c.fragment::<4, 16>(&cta);

    // Each thread loads one vector per half tile: of `a`, four elements along k, stored in four rows; of `b`, four along n.
    let (a_row, a_vector) = (t / 2, t % 2);
    let tiles = |depth: u32| {
        Some((a.tile::<TILE, DEPTH>([depth as usize, y])?, b.tile::<DEPTH, TILE>([x, depth as usize])?))
    };
    let load_a = |from: &MatrixTile<f32, TILE, DEPTH>, half: usize| {
        from.get_vector([a_vector + half * (HALF / 4), a_row]).unwrap_or_default()
    };
    let load_b = |from: &MatrixTile<f32, DEPTH, TILE>, half: usize| {
        from.get_vector([t % 32, t / 32 + half * HALF]).unwrap_or_default()
    };
    let put_a = |to: &ToA<'_>, half: usize, u: [f32; 4]| {
        let to = to.as_2d::<A_ROW>();
        unroll::<4>(|i| _ = to.set([a_row, half * HALF + 4 * a_vector + i], u[i]));
    };
    let put_b = |to: &ToB<'_>, half: usize, v: [f32; 4]| _ = to.set_vector(t + half * (HALF * TILE / 4), v);
    // Two vectors of each matrix. The threads of a warp read adjacent vectors.
    let fragments = |a: &PublishedA<'_>, b: &PublishedB<'_>, d: usize| {
        (
            [0, 16].map(|v| b.get_vector(d * TILE / 4 + t % 16 + v).unwrap_or_default()),
            [0, 16].map(|v| a.get_vector(d * A_ROW / 4 + t / 16 + v).unwrap_or_default()),
        )
    };
    let mut sums: [[f32; 8]; 8] = zeroed();

    let last = (k / DEPTH as u32).wrapping_sub(1);
    let Some((from_a, from_b)) = tiles(0) else { return };
    let (u0, v0) = (load_a(&from_a, 0), load_b(&from_b, 0));
    let (u1, v1) = (load_a(&from_a, 1), load_b(&from_b, 1));
    cta.finish((smem.a, smem.b, smem.other_a, smem.other_b), |cta, (a, b, other_a, other_b)| {
        let (mut next_a, mut next_b) = (other_a.element_stores(), other_b.vector_stores());
        let (a, b) = (a.element_stores(), b.vector_stores());
        put_a(&a, 0, u0);
        put_b(&b, 0, v0);
        put_a(&a, 1, u1);
        put_b(&b, 1, v1);
        let (mut a, mut b) = (a.publish(), b.publish()).sync(cta);
        let mut depth = 1_u32;
        // The last round loads its own tile again, and no thread reads the copy: all rounds have the same code. Each load is in
        // flight while a quarter or a half of the tile is multiplied.
        while let Some((from_a, from_b)) = tiles(depth.min(last)) {
            let u = load_a(&from_a, 0);
            let v = load_b(&from_b, 0);
            unroll::<4>(|d| sums = multiply(sums, fragments(&a, &b, d)));
            put_a(&next_a, 0, u);
            put_b(&next_b, 0, v);
            let u = load_a(&from_a, 1);
            let v = load_b(&from_b, 1);
            unroll::<8>(|d| sums = multiply(sums, fragments(&a, &b, 4 + d)));
            put_a(&next_a, 1, u);
            put_b(&next_b, 1, v);
            unroll::<4>(|d| sums = multiply(sums, fragments(&a, &b, 12 + d)));
            let (old_a, old_b);
            (a, b, old_a, old_b) = (next_a.publish(), next_b.publish(), a.release(), b.release()).sync(cta);
            (next_a, next_b) = (old_a.element_stores(), old_b.vector_stores());
            depth += 1;
            if depth > last + 1 {
                break;
            }
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
