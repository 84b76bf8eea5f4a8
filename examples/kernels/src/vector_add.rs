use ptx::global::{Global, GlobalVectorsMut};
use ptx::group::Cta;

/// `sum[i]` ← `x[i]` + `y[i]`. Each thread adds vectors of four elements.
#[ptx::kernel(threads = 256)]
pub fn add_vectors(cta: Cta, x: Global<f32>, y: Global<f32>, sum: GlobalVectorsMut<f32>) {
    let (vectors, rest) = sum.vectors(&cta);
    for (v, sum) in vectors {
        let (x, y) = (x.get_vector(v).unwrap_or_default(), y.get_vector(v).unwrap_or_default());
        sum.write([0, 1, 2, 3].map(|i| x[i] + y[i]));
    }
    for (i, sum) in rest {
        sum.write(x.get(i).unwrap_or_default() + y.get(i).unwrap_or_default());
    }
}
