use ptx::global::{Global, GlobalElementsMut};
use ptx::group::Cta;
use ptx::registers::{from_fn, unroll, zeroed};

/// Sums that a thread keeps in registers.
const SUMS: usize = 96;

/// `sums[t]` ← the sum over k < 96 of (k + 1) times the sum of `x[i] + k` over all i of thread t. Each thread has 96
/// accumulators, as in a matrix product. `threads = 288` bounds its registers, so that a block of 288 threads fits a
/// multiprocessor.
#[ptx::kernel(threads = 288)]
pub fn accumulate_sums(cta: Cta, x: Global<f32>, sums: GlobalElementsMut<f32>) {
    let mut partial: [f32; SUMS] = zeroed();
    let (mut i, step) = (cta.thread_rank() as usize, cta.thread_count() as usize);
    while let Some(x) = x.get(i) {
        partial = from_fn::<_, SUMS>(|k| partial[k] + (x + k as f32));
        i += step;
    }
    for (_, sum) in sums.elements(&cta) {
        let mut total = 0.0;
        unroll::<SUMS>(|k| total += (k + 1) as f32 * partial[k]);
        sum.write(total);
    }
}
