use ptx::bulk::LoadBuffer;
use ptx::global::{Global, GlobalMatrix, GlobalRowsMut};
use ptx::group::Cta;
use ptx::math::{fma, rsqrt};
use ptx::reduce::ReduceMemory;
use ptx::trap;

/// Elements of the longest row.
const LONGEST: usize = 8192;

ptx::shared_memory! {
    struct Smem { row: LoadBuffer<f32, LONGEST>, partials: ReduceMemory<f32> }
}

/// Row y of `output` ← x · `weights` / √(mean of x² + epsilon), where x is row y of `input`. Rows have at most 8192 elements, and a
/// multiple of 4.
#[ptx::kernel(threads = 256)]
pub fn normalize_rows(
    cta: Cta,
    #[shared] smem: Smem,
    input: GlobalMatrix<f32>,
    weights: Global<f32>,
    output: GlobalRowsMut<f32>,
    epsilon: f32,
) {
    let (columns, mut partials) = (weights.len(), smem.partials);
    let thread = cta.thread_rank() as usize;
    cta.finish(smem.row, |cta, mut free| {
        for (_, row, to) in output.rows_with(cta, input) {
            // The length of the copy is known at run time.
            let Some(row) = row.slice::<LONGEST>(0, columns) else { trap() };
            let row = free.load(cta, row).wait(cta);

            let (mut squares, mut v) = (0.0, thread);
            while v < columns / 4 {
                let x = row.get_vector(v).unwrap_or_default();
                squares = fma(x[0], x[0], fma(x[1], x[1], fma(x[2], x[2], fma(x[3], x[3], squares))));
                v += 256;
            }
            let scale = rsqrt(partials.reduce_add(cta, squares) / columns as f32 + epsilon);
            for (v, to) in to.vectors(cta) {
                if let (Some(x), Some(weight)) = (row.get_vector(v), weights.get_vector(v)) {
                    to.write([0, 1, 2, 3].map(|k| x[k] * scale * weight[k]));
                }
            }
            free = row.release().sync(cta); // every thread has read the row
        }
        free.end()
    });
}
