//! Softmax of each row of a matrix: one CTA per row. Each thread keeps its elements in dynamic shared memory between three
//! passes.

use ptx::global::{GlobalMatrix, GlobalRowsMut};
use ptx::group::Cta;
use ptx::math::{exp, rcp};
use ptx::reduce::ReduceMemory;
use ptx::shared::DynamicShared;

ptx::shared_memory! {
    struct Smem { partials: ReduceMemory<f32> }
}

/// Each row of the output ← the exponentials of the elements of that row of the input, divided by their sum. The row's greatest
/// element is subtracted first, so no exponential overflows.
///
/// Launch: a 1-D grid of any size, 256 threads per CTA, `4 * columns` bytes of dynamic shared memory.
#[ptx::kernel(threads = 256)]
pub fn row_softmax(
    cta: Cta,
    #[shared] smem: Smem,
    #[dynamic] dynamic: DynamicShared,
    #[len(rows, columns)] input: GlobalMatrix<f32>,
    #[len(rows, columns)] output: GlobalRowsMut<f32>,
    rows: u32,
    columns: u32,
) {
    let mut partials = smem.partials;
    let (mut cached, _) = dynamic.take_thread_vectors::<f32>(&cta, columns / 4);

    for (_, from, to) in output.rows_with(&cta, input) {
        let mut greatest = f32::NEG_INFINITY;
        cached.fill_from::<4>(from, |x| greatest = x[0].max(x[1]).max(x[2].max(x[3])).max(greatest));
        let greatest = partials.reduce_max(&cta, greatest);

        let mut sum = 0.0;
        for (_, mut vector) in cached.vectors() {
            let x = vector.get().map(|x| exp(x - greatest));
            vector.set(x);
            sum += (x[0] + x[1]) + (x[2] + x[3]);
        }
        let scale = rcp(partials.reduce_add(&cta, sum));

        cached.write_to(to, |x| x.map(|x| x * scale));
    }
}
