//! Residual addition and root-mean-square norm (RMSNorm) in one kernel, in half precision: a short row per warp, a long one per CTA,
//! which stays in registers.

use ptx::global::{Global, GlobalMatrix, GlobalRowsMut, VectorsMut};
use ptx::group::Cta;
use ptx::math::{Arithmetic, Convert, add, convert, fma, rcp_ftz, rsqrt_ftz};
use ptx::reduce::ReduceMemory;
use ptx::registers::{Zeroed, from_fn, unroll, zeroed};
use ptx::shared::Element;
use ptx::{bf16, f16, trap};

const THREADS: u32 = 256;
/// Vectors of 16 bytes of a row that a thread of a CTA holds, and a lane of a warp.
const OF_THREAD: usize = 8;
const OF_LANE: usize = 4;
/// Vectors of each of the two matrices that a thread has in flight.
const LOADS: usize = 4;
/// Elements of the longest rows of a CTA and of a warp.
const OF_CTA: u32 = THREADS * 8 * OF_THREAD as u32;
const OF_WARP: u32 = 32 * 8 * OF_LANE as u32;

/// Returns the number of rows that a CTA has at a time. A grid of that fraction of the rows has one round.
pub const fn rows_of_cta(columns: u32) -> u32 {
    if columns <= OF_WARP { THREADS / 32 } else { 1 }
}

ptx::shared_memory! {
    struct Smem { partials: ReduceMemory<f32> }
}

/// Adds a row of x to the residual, and norms it into the output. `sum` adds up the threads of the row.
#[inline(always)]
fn add_and_norm<T, const VECTORS: usize>(
    x: Global<T>,
    residual: VectorsMut<T, u32>,
    weights: Global<T>,
    output: VectorsMut<T, u32>,
    epsilon: f32,
    sum: impl FnOnce(f32) -> f32,
) where
    T: Element<Vector = [T; 8]> + Zeroed,
    [T; 8]: Arithmetic + Convert<[f32; 8]>,
    [f32; 8]: Convert<[T; 8]>,
{
    let mut row: [[T; 8]; VECTORS] = zeroed();
    let mut squares = 0.0;
    unroll::<{ OF_THREAD / LOADS }>(|round| {
        if round < const { VECTORS / LOADS } {
            let mut loaded: [[T; 8]; LOADS] = zeroed();
            unroll::<LOADS>(|load| {
                let k = round * LOADS + load;
                if let Some((x, residual)) = residual.get_with(k, x) {
                    (loaded[load], row[k]) = (x, residual.read());
                }
            });
            unroll::<LOADS>(|load| {
                let k = round * LOADS + load;
                if let Some((_, residual)) = residual.get(k) {
                    row[k] = add(loaded[load], row[k]);
                    residual.write(row[k]);
                    let wide: [f32; 8] = convert(row[k]);
                    unroll::<8>(|i| squares = fma(wide[i], wide[i], squares));
                }
            });
        }
    });
    let mean = sum(squares) * rcp_ftz(x.len() as f32);
    let scale = rsqrt_ftz(mean + epsilon);
    unroll::<VECTORS>(|k| {
        if let Some((weight, to)) = output.get_with(k, weights) {
            let (x, weight): ([f32; 8], [f32; 8]) = (convert(row[k]), convert(weight));
            to.write(convert(from_fn::<f32, 8>(|i| x[i] * scale * weight[i])));
        }
    });
}

/// Each row of `residual` ← that row of x + that row of `residual`; the row of the output ← the new row of `residual` · weights /
/// √(mean of its squares + epsilon). Rows have up to 16384 elements.
///
/// Launch: a 1-D grid of any size, 256 threads per CTA.
#[ptx::kernel(threads = THREADS, min_ctas = 4, instances(<f16>, <bf16>))]
pub fn add_rms_norm<T: Element>(
    cta: Cta,
    #[shared] smem: Smem,
    #[len(rows, columns)] x: GlobalMatrix<T>,
    #[len(rows, columns)] residual: GlobalRowsMut<T>,
    #[len(columns)] weights: Global<T>,
    #[len(rows, columns)] output: GlobalRowsMut<T>,
    rows: u32,
    columns: u32,
    epsilon: f32,
) {
    if columns > OF_CTA {
        trap();
    }
    if columns <= OF_WARP {
        let warp = cta.warp();
        let mut outputs = output.warp_rows(&cta);
        for (index, residual) in residual.warp_rows(&cta) {
            let (Some(x), Some((_, output))) = (x.row(index), outputs.next()) else { trap() };
            add_and_norm::<T, OF_LANE>(x, residual, weights, output, epsilon, |squares| {
                warp.reduce_add(squares)
            });
        }
    } else {
        let mut partials = smem.partials;
        let mut outputs = output.rows(&cta);
        for (index, residual) in residual.rows(&cta) {
            let (Some(x), Some((_, output))) = (x.row(index), outputs.next()) else { trap() };
            let (residual, output) = (residual.vectors(&cta), output.vectors(&cta));
            add_and_norm::<T, OF_THREAD>(x, residual, weights, output, epsilon, |squares| {
                partials.reduce_add(&cta, squares)
            });
        }
    }
}
