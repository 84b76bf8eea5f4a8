use ptx::atomic::GlobalAtomics;
use ptx::global::Global;
use ptx::group::Cta;
use ptx::qualifier::{scope, sem};
use ptx::reduce::ReduceMemory;

ptx::shared_memory! {
    struct Smem { partials: ReduceMemory<f32> }
}

/// Adds the sum of `x` to `total[0]`.
#[ptx::kernel(threads = 256)]
pub fn sum_elements(cta: Cta, #[shared] smem: Smem, x: Global<f32>, total: GlobalAtomics<f32, scope::Gpu>) {
    let mut sum = 0.0;
    // Four loads of a thread are in flight at a time.
    x.for_each::<4>(cta.grid_thread_rank(), cta.grid_thread_count(), |x| sum += x);
    let mut partials = smem.partials;
    let of_block = partials.reduce_add(&cta, sum);
    if let (true, Some(total)) = (cta.is_leader(), total.get(0)) {
        total.add(of_block, sem::Relaxed);
    }
}
