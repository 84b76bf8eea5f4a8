//! The sum of a slice in one grid (CUB's `DeviceReduce::Sum`): the last CTA adds up the sums of all CTAs, so that equal launches give
//! equal bits.

use ptx::atomic::GlobalAtomics;
use ptx::global::{Global, GlobalScatter};
use ptx::group::Cta;
use ptx::qualifier::{scope, sem};
use ptx::reduce::ReduceMemory;
use ptx::registers::unroll;
use ptx::trap;

const THREADS: usize = 256;
/// Loads of 16 bytes that a thread has in flight.
const LOADS: usize = 8;

ptx::shared_memory! {
    struct Smem { memory: ReduceMemory<f32> }
}

/// `output[0]` ← the sum of the input. `partials` has an element for each CTA, and `count` one that is 0, and is 0 again after the
/// launch.
///
/// Launch: a 1-D grid of any size, 256 threads per CTA. A grid that fills the GPU once has the fewest sums to add up.
#[ptx::kernel(threads = THREADS as u32)]
pub fn device_sum(
    cta: Cta,
    #[shared] smem: Smem,
    input: Global<f32>,
    partials: GlobalAtomics<f32, scope::Gpu>,
    count: GlobalAtomics<u32, scope::Gpu>,
    output: GlobalScatter<f32>,
) {
    let (mut memory, thread) = (smem.memory, cta.thread_rank() as usize);
    let (rank, ctas) = (cta.grid_rank() as usize, cta.grid_size() as usize);
    let (Some(count), Some(of_cta)) = (count.get(0), partials.get(rank)) else { trap() };

    let mut sums = [0.0_f32; 4];
    let mut add = |vector: [f32; 4]| unroll::<4>(|k| sums[k] += vector[k]);
    let mut i = rank * LOADS * THREADS + thread;
    while let Some(vectors) = input.get_vectors::<LOADS, THREADS>(i) {
        unroll::<LOADS>(|load| add(vectors[load]));
        i += ctas * LOADS * THREADS;
    }
    // The vectors of the incomplete round, of which at most one CTA has any.
    while let Some(vector) = input.get_vector(i) {
        add(vector);
        i += THREADS;
    }
    let mut sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    let (_, rest) = input.tiles::<4>();
    if rank == 0 {
        sum += rest.get(thread).unwrap_or(0.0);
    }

    let sum = memory.reduce_add(&cta, sum);
    if cta.is_leader() {
        of_cta.store(sum, sem::Relaxed);
    }
    if count.is_last_cta(&cta) {
        let (mut sum, mut other) = (0.0, thread);
        while let (true, Some(partial)) = (other < ctas, partials.get(other)) {
            sum += partial.load(sem::Relaxed);
            other += THREADS;
        }
        let total = memory.reduce_add(&cta, sum);
        if cta.is_leader() {
            output.write(0, total);
        }
    }
}
