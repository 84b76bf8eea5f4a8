//! Residual addition and root-mean-square norm (RMSNorm) in one kernel, in half precision: a row per CTA, which stays in registers.

use ptx::global::{Global, GlobalMatrix, GlobalRowsMut};
use ptx::group::Cta;
use ptx::math::{add, convert, fma, rcp_ftz, rsqrt_ftz};
use ptx::reduce::ReduceMemory;
use ptx::registers::{from_fn, unroll, zeroed};
use ptx::shared::Element;
use ptx::{bf16, f16, trap};

/// Vectors of 16 bytes of a row that a thread holds: a row has up to 16384 elements.
const VECTORS: usize = 8;
/// Vectors of each of the two matrices that a thread has in flight.
const LOADS: usize = 4;

ptx::shared_memory! {
    struct Smem { partials: ReduceMemory<f32> }
}

/// Each row of `residual` ← that row of x + that row of `residual`; the row of the output ← the new row of `residual` · weights /
/// √(mean of its squares + epsilon). Rows have up to 16384 elements.
///
/// Launch: a 1-D grid of any size, 256 threads per CTA.
#[ptx::kernel(threads = 256, min_ctas = 4, instances(<f16>, <bf16>))]
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
    if columns > (8 * VECTORS * 256) as u32 {
        trap();
    }
    let mut partials = smem.partials;
    let mut outputs = output.rows(&cta);
    for (index, residual) in residual.rows(&cta) {
        let (Some(x), Some((_, output))) = (x.row(index), outputs.next()) else { trap() };
        let mut row: [[T; 8]; VECTORS] = zeroed();
        let mut squares = 0.0;
        let own = residual.vectors(&cta);
        unroll::<{ VECTORS / LOADS }>(|round| {
            let mut loaded: [[T; 8]; LOADS] = zeroed();
            unroll::<LOADS>(|load| {
                let k = round * LOADS + load;
                if let Some((x, residual)) = own.get_with(k, x) {
                    (loaded[load], row[k]) = (x, residual.read());
                }
            });
            unroll::<LOADS>(|load| {
                let k = round * LOADS + load;
                if let Some((_, residual)) = own.get(k) {
                    row[k] = add(loaded[load], row[k]);
                    residual.write(row[k]);
                    let sum: [f32; 8] = convert(row[k]);
                    unroll::<8>(|i| squares = fma(sum[i], sum[i], squares));
                }
            });
        });

        let mean = partials.reduce_add(&cta, squares) * rcp_ftz(columns as f32);
        let scale = rsqrt_ftz(mean + epsilon);
        let own = output.vectors(&cta);
        unroll::<VECTORS>(|k| {
            if let Some((weight, to)) = own.get_with(k, weights) {
                let (x, weight): ([f32; 8], [f32; 8]) = (convert(row[k]), convert(weight));
                to.write(convert(from_fn::<f32, 8>(|i| x[i] * scale * weight[i])));
            }
        });
    }
}
