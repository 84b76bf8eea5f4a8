//! Root-mean-square norm (RMSNorm) of each row of a matrix. One bulk async copy loads a row, whose length is known at run time.

use ptx::bulk::LoadBuffer;
use ptx::global::{Global, GlobalMatrix, GlobalRowsMut};
use ptx::group::Cta;
use ptx::math::{fma, rcp_ftz, rsqrt_ftz};
use ptx::reduce::ReduceMemory;
use ptx::trap;

const THREADS: u32 = 256;
/// Elements of the longest row.
const LONGEST: usize = 8192;

ptx::shared_memory! {
    struct Smem { row: LoadBuffer<f32, LONGEST>, partials: ReduceMemory<f32> }
}

/// Row y of the output ← x · weights / √(mean of x² + epsilon), where x is row y of the input.
///
/// Launch: a 1-D grid of any size, 256 threads per CTA.
#[ptx::kernel(threads = THREADS)]
pub fn rms_norm(
    cta: Cta,
    #[shared] smem: Smem,
    #[len(rows, columns)] input: GlobalMatrix<f32>,
    #[len(columns)] weights: Global<f32>,
    #[len(rows, columns)] output: GlobalRowsMut<f32>,
    rows: u32,
    columns: u32,
    epsilon: f32,
) {
    let (thread, vectors) = (cta.thread_rank(), columns.min(LONGEST as u32) / 4);
    let mut partials = smem.partials;

    cta.finish(smem.row, |cta, mut free| {
        for (_, row, to) in output.rows_with(cta, input) {
            let Some(row) = row.slice::<LONGEST>(0, columns as usize) else { trap() };
            let row = free.load(cta, row).wait(cta);

            let (mut sum, mut i) = (0.0, thread);
            while i < vectors {
                let x = row.get_vector(i as usize).unwrap_or_default();
                sum = fma(x[0], x[0], fma(x[1], x[1], fma(x[2], x[2], fma(x[3], x[3], sum))));
                i += THREADS;
            }
            let mean = partials.reduce_add(cta, sum) * rcp_ftz(columns as f32);
            let scale = rsqrt_ftz(mean + epsilon);
            for (i, to) in to.vectors(cta) {
                if let (Some(x), Some(weight)) = (row.get_vector(i), weights.get_vector(i)) {
                    to.write([0, 1, 2, 3].map(|k| x[k] * scale * weight[k]));
                }
            }
            free = row.release().sync(cta);
        }
        free.end()
    });
}
