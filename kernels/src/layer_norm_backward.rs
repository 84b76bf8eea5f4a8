//! The gradients of a layer norm (LayerNorm), of its input, weights and bias.

use ptx::atomic::GlobalAtomics;
use ptx::bf16;
use ptx::global::{Global, GlobalMatrix, GlobalRowsMut};
use ptx::group::Cta;
use ptx::math::{convert, fma, rcp_ftz};
use ptx::qualifier::{scope, sem};
use ptx::reduce::ReduceMemory;
use ptx::registers::{from_fn, unroll, zeroed};
use ptx::shared::SharedArray;
use ptx::trap;

const THREADS: usize = 512;
/// Vectors of a row that a thread has: a row has up to 4096 elements.
const VECTORS: usize = 1;
const COLUMNS: usize = 8 * VECTORS * THREADS;

ptx::shared_memory! {
    struct Smem { partials: ReduceMemory<u64>, weights: SharedArray<bf16, COLUMNS> }
}

/// Two floats, which one reduction adds up.
#[inline(always)]
fn both(a: f32, b: f32) -> u64 {
    u64::from(a.to_bits()) | u64::from(b.to_bits()) << 32
}

#[inline(always)]
fn each(both: u64) -> [f32; 2] {
    [f32::from_bits(both as u32), f32::from_bits((both >> 32) as u32)]
}

/// For each row of y = x̂ · weights + bias, where x̂ = (x - mean) · scale: the row of dx ← the gradient of x, of dy as the gradient of y.
/// `dweights` ← `dweights` + the sum of dy · x̂ over all rows, `dbias` ← `dbias` + the sum of dy. Rows have up to 4096 elements.
///
/// Launch: a 1-D grid of any size, 512 threads per CTA. Each CTA adds its sums to memory once, so a grid fills the GPU once.
///
/// Technique: a thread keeps the sums of its columns in registers, and its weights in shared memory. It loads the next row while the CTA
/// reduces this one.
#[ptx::kernel(threads = THREADS as u32, min_ctas = 2)]
pub fn layer_norm_backward(
    cta: Cta,
    #[shared] smem: Smem,
    #[len(rows, columns)] dy: GlobalMatrix<bf16>,
    #[len(rows, columns)] x: GlobalMatrix<bf16>,
    #[len(rows)] means: Global<f32>,
    #[len(rows)] scales: Global<f32>,
    #[len(columns)] weights: Global<bf16>,
    #[len(rows, columns)] dx: GlobalRowsMut<bf16>,
    dweights: GlobalAtomics<f32, scope::Gpu>,
    dbias: GlobalAtomics<f32, scope::Gpu>,
    rows: u32,
    columns: u32,
) {
    if columns > COLUMNS as u32 {
        trap();
    }
    let (thread, mut partials) = (cta.thread_rank() as usize, smem.partials);
    // Zeros beyond the end of a row, which add nothing.
    let load = |from: Option<Global<bf16>>| {
        let mut loaded: [[bf16; 8]; VECTORS] = zeroed();
        if let Some(from) = from {
            unroll::<VECTORS>(|k| {
                if let Some(vector) = from.get_vector(thread + k * THREADS) {
                    loaded[k] = vector;
                }
            });
        }
        loaded
    };
    let mut of_weights: [[f32; 8]; VECTORS] = zeroed();
    let mut of_bias: [[f32; 8]; VECTORS] = zeroed();
    let of_a_column = rcp_ftz(columns as f32);

    cta.finish(smem.weights, |cta, table| {
        let table = table.vector_stores();
        unroll::<VECTORS>(|k| {
            let own = thread + k * THREADS;
            table.set_vector(own, weights.get_vector(own).unwrap_or_default());
        });
        let table = table.publish().sync(cta);
        let (rank, ctas) = (cta.grid_rank() as usize, cta.grid_size() as usize);
        let mut loaded = (load(dy.row(rank)), load(x.row(rank)));
        for (row, (mean, scale), to) in dx.rows_with(cta, (means, scales)) {
            let (of_dy, of_x) = loaded;
            loaded = (load(dy.row(row + ctas)), load(x.row(row + ctas)));

            // The gradients of x̂, and x̂.
            let shift = -mean * scale;
            let gradients = |k: usize| -> ([f32; 8], [f32; 8]) {
                let (dy, x, weights): ([f32; 8], [f32; 8], [f32; 8]) = (
                    convert(of_dy[k]),
                    convert(of_x[k]),
                    convert(table.get_vector(thread + k * THREADS).unwrap_or_default()),
                );
                (from_fn(|i| dy[i] * weights[i]), from_fn(|i| fma(x[i], scale, shift)))
            };
            let (mut sum, mut product) = (0.0, 0.0);
            unroll::<VECTORS>(|k| {
                let (dy, (of_normalized, normalized)): ([f32; 8], _) = (convert(of_dy[k]), gradients(k));
                unroll::<8>(|i| {
                    sum += of_normalized[i];
                    product = fma(of_normalized[i], normalized[i], product);
                    of_weights[k][i] = fma(dy[i], normalized[i], of_weights[k][i]);
                    of_bias[k][i] += dy[i];
                });
            });
            let added = partials.reduce(cta, both(sum, product), |a, b| {
                let ([a, b], [c, d]) = (each(a), each(b));
                both(a + c, b + d)
            });
            let [mean_of_sum, mean_of_product] = each(added).map(|sum| sum * of_a_column);
            let own = to.vectors(cta);
            unroll::<VECTORS>(|k| {
                if let Some((_, to)) = own.get(k) {
                    let (of_normalized, normalized) = gradients(k);
                    to.write(convert(from_fn::<f32, 8>(|i| {
                        scale * (of_normalized[i] - fma(normalized[i], mean_of_product, mean_of_sum))
                    })));
                }
            });
        }
        table.end()
    });

    let (Some(dweights), Some(dbias)) = (dweights.vectors::<4>(), dbias.vectors::<4>()) else { trap() };
    unroll::<VECTORS>(|k| {
        unroll::<2>(|half| {
            let four = |sums: &[f32; 8]| from_fn::<f32, 4>(|i| sums[4 * half + i]);
            let i = 2 * (thread + k * THREADS) + half;
            if let (Some(dweights), Some(dbias)) = (dweights.get(i), dbias.get(i)) {
                dweights.add(four(&of_weights[k]), sem::Relaxed);
                dbias.add(four(&of_bias[k]), sem::Relaxed);
            }
        });
    });
}
