//! y ← a·x + y by plain loads and stores: each thread moves vectors of 16 bytes (`float4`).

use ptx::global::{Global, GlobalVectorsMut};
use ptx::group::Cta;
use ptx::math::fma;

/// `y[i]` ← fma(a, `x[i]`, `y[i]`) for i < n.
///
/// Launch: a 1-D grid of any size, 256 threads per CTA. With n / 4 threads in the grid, each thread has one vector.
#[ptx::kernel(threads = 256)]
pub fn axpy(cta: Cta, a: f32, #[len(n)] x: Global<f32>, #[len(n)] y: GlobalVectorsMut<f32>, n: usize) {
    let (vectors, rest) = y.vectors(&cta);
    for (v, y) in vectors {
        let (x, old) = (x.get_vector(v).unwrap_or_default(), y.read());
        y.write([0, 1, 2, 3].map(|i| fma(a, x[i], old[i])));
    }
    for (i, y) in rest {
        y.write(fma(a, x.get(i).unwrap_or_default(), y.read()));
    }
}
