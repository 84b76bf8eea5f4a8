//! Residual addition and root-mean-square norm (RMSNorm) in one kernel, in half precision: a short row per warp, a long one per CTA,
//! which stays in registers.

use ptx::global::{Global, GlobalMatrix, GlobalRowsMut, VectorsMut};
use ptx::group::Cta;
use ptx::math::{Arithmetic, Convert, add, convert, fma, rcp_ftz, rsqrt_ftz};
use ptx::reduce::ReduceMemory;
use ptx::registers::{Zeroed, from_fn, unroll, zeroed};
use ptx::shared::Element;
use ptx::{bf16, f16, trap};

/// Returns the elements of the longest row of `threads` that hold `vectors` vectors of 16 bytes each.
const fn longest(threads: u32, vectors: usize) -> u32 {
    threads * 8 * vectors as u32
}

/// Returns the instance for rows of so many elements, its threads and the vectors of each, if there is one.
pub const fn instance_of(columns: u32) -> Option<(u32, usize)> {
    match columns {
        0..=1024 => Some((128, 4)),
        1025..=4096 => Some((256, 2)),
        4097..=8192 => Some((512, 2)),
        8193..=16384 => Some((512, 4)),
        _ => None,
    }
}

/// Returns the number of rows that a CTA of an instance has at a time. A grid of that fraction of the rows has one round.
pub const fn rows_of_cta((threads, vectors): (u32, usize), columns: u32) -> u32 {
    if columns <= longest(32, vectors) { threads / 32 } else { 1 }
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
    let (mut row, mut loaded): ([[T; 8]; VECTORS], [[T; 8]; VECTORS]) = (zeroed(), zeroed());
    let mut squares = 0.0;
    unroll::<VECTORS>(|k| {
        if let Some((x, residual)) = residual.get_with(k, x) {
            (loaded[k], row[k]) = (x, residual.read());
        }
    });
    unroll::<VECTORS>(|k| {
        if residual.get(k).is_some() {
            row[k] = add(loaded[k], row[k]);
            let wide: [f32; 8] = convert(row[k]);
            unroll::<8>(|i| squares = fma(wide[i], wide[i], squares));
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
    // The stores of a row come together: a thread that stored its sums at once would read and write in turn.
    unroll::<VECTORS>(|k| {
        if let Some((_, residual)) = residual.get(k) {
            residual.write(row[k]);
        }
    });
}

/// Each row of `residual` ← that row of x + that row of `residual`; the row of the output ← the new row of `residual` · weights /
/// √(mean of its squares + epsilon). Rows have up to 8 · `THREADS` · `VECTORS` elements: [`instance_of`] says which instance is for them.
///
/// Launch: a 1-D grid of any size, `THREADS` threads per CTA.
#[ptx::kernel(
    threads = THREADS,
    min_ctas = 1024 / THREADS,
    instances(
        <f16, 128, 4>, <f16, 256, 2>, <f16, 512, 2>, <f16, 512, 4>,
        <bf16, 128, 4>, <bf16, 256, 2>, <bf16, 512, 2>, <bf16, 512, 4>
    )
)]
pub fn add_rms_norm<T: Element, const THREADS: u32, const VECTORS: usize>(
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
    if columns > const { longest(THREADS, VECTORS) } {
        trap();
    }
    if columns <= const { longest(32, VECTORS) } {
        let warp = cta.warp();
        let mut outputs = output.warp_rows(&cta);
        for (index, residual) in residual.warp_rows(&cta) {
            let (Some(x), Some((_, output))) = (x.row(index), outputs.next()) else { trap() };
            add_and_norm::<T, VECTORS>(x, residual, weights, output, epsilon, |squares| {
                warp.reduce_add(squares)
            });
        }
    } else {
        let mut partials = smem.partials;
        let mut outputs = output.rows(&cta);
        for (index, residual) in residual.rows(&cta) {
            let (Some(x), Some((_, output))) = (x.row(index), outputs.next()) else { trap() };
            let (residual, output) = (residual.vectors(&cta), output.vectors(&cta));
            add_and_norm::<T, VECTORS>(x, residual, weights, output, epsilon, |squares| {
                partials.reduce_add(&cta, squares)
            });
        }
    }
}
