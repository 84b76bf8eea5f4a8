use ptx::global::{GlobalMatrix, GlobalRowsMut};
use ptx::group::Cta;
use ptx::math::{exp, rcp};
use ptx::reduce::ReduceMemory;

const THREADS: u32 = 256;

ptx::shared_memory! {
    struct Smem { partials: ReduceMemory<f32> }
}

/// Each row of `output` ← the exponentials of the elements of that row of `input`, divided by their sum. A CTA computes one row
/// at a time.
///
/// The first pass finds the greatest element and the sum of the exponentials together: a thread scales its sum whenever it finds
/// a greater element, so no exponential overflows. The second pass reads the row from the L2 cache.
#[ptx::kernel(threads = THREADS)]
pub fn softmax_rows(cta: Cta, #[shared] smem: Smem, input: GlobalMatrix<f32>, output: GlobalRowsMut<f32>) {
    let mut partials = smem.partials;
    for (_, from, to) in output.rows_with(&cta, input) {
        let (mut greatest, mut sum) = (f32::MIN, 0.0);
        let mut v = cta.thread_rank() as usize;
        while let Some(x) = from.get_vector(v) {
            let next = x[0].max(x[1]).max(x[2].max(x[3])).max(greatest);
            let [a, b, c, d] = x.map(|x| exp(x - next));
            sum = sum * exp(greatest - next) + (a + b) + (c + d);
            greatest = next;
            v += THREADS as usize;
        }
        let of_row = partials.reduce_max(&cta, greatest);
        let scale = rcp(partials.reduce_add(&cta, sum * exp(greatest - of_row)));

        for (v, to) in to.vectors(&cta) {
            to.write(from.get_vector(v).unwrap_or_default().map(|x| exp(x - of_row) * scale));
        }
    }
}
