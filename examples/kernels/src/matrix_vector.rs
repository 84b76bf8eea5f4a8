use ptx::global::{Global, GlobalElementsMut, GlobalMatrix};
use ptx::group::Cta;
use ptx::math::fma;

/// `y` ← `matrix` · `x`. A warp computes a row at a time; rows have a multiple of four elements.
#[ptx::kernel(threads = 256)]
pub fn multiply_by_vector(
    cta: Cta,
    matrix: GlobalMatrix<f32>,
    x: Global<f32>,
    y: GlobalElementsMut<f32, u32>,
) {
    let warp = cta.warp();
    for (row, y) in y.warp_elements(&cta) {
        let Some(row) = matrix.row(row) else { break };
        let mut sum = 0.0;
        // Each lane loads two vectors of the row and of `x` at a time.
        row.for_each_pair::<f32, 2, 32>(x, warp.lane() as usize, |a, b| {
            sum = fma(a[0], b[0], fma(a[1], b[1], fma(a[2], b[2], fma(a[3], b[3], sum))));
        });
        let sum = warp.reduce_add(sum);
        if let Some(y) = y {
            y.write(sum); // one lane has the element
        }
    }
}
