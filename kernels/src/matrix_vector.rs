//! Matrix-vector product (GEMV): one warp per row, with a warp reduction.

use ptx::global::{Global, GlobalElementsMut, GlobalMatrix};
use ptx::group::Cta;
use ptx::math::fma;

/// `y` ← `matrix` · `x`; the matrix is row-major.
///
/// Launch: a 1-D grid of any size, 256 threads per CTA; a multiprocessor has registers for eight CTAs, its 2048 threads.
#[ptx::kernel(threads = 256, min_ctas = 8)]
pub fn matrix_vector(
    cta: Cta,
    #[len(rows, columns)] matrix: GlobalMatrix<f32>,
    #[len(columns)] x: Global<f32>,
    #[len(rows)] y: GlobalElementsMut<f32, u32>,
    rows: u32,
    columns: u32,
) {
    let warp = cta.warp();

    for (row, y) in y.warp_elements(&cta) {
        let Some(row) = matrix.row(row) else { break };
        let mut sum = 0.0;
        row.for_each_pair::<f32, 2, 32>(x, warp.lane() as usize, |a, b| {
            sum = fma(a[0], b[0], fma(a[1], b[1], fma(a[2], b[2], fma(a[3], b[3], sum))));
        });
        let sum = warp.reduce_add(sum);
        if let Some(y) = y {
            y.write(sum);
        }
    }
}
