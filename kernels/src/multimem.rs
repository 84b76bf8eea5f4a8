//! An all-reduce over the GPUs of a multicast object: the switch adds, and each GPU sends its share once.

use ptx::atomic::{AtomicRef, GlobalAtomics};
use ptx::fence;
use ptx::launch::{Block, Cta, trap};
use ptx::multimem::{Multicast, MulticastRef};
use ptx::qualifier::{scope, sem, space};

const THREADS: u32 = 256;

/// `values[i]` of every GPU ← the sum of `values[i]` over the GPUs, for i < `n`. Built and assembled, and run by no test: its
/// addresses are those of a multicast object, which takes several GPUs.
///
/// Every GPU runs this kernel in a row of CTAs of 256 threads, as many on each, which it has to hold all at once: CTA c waits for
/// the CTAs c of the other GPUs, before it reads their values and before it ends.
///
/// # Safety
///
/// - called once by every thread, at the kernel's start; on each of `gpus` GPUs in a grid of the same shape, with the same `n`,
///   and with its own number, below `gpus`, as `gpu`; `n` and the threads of all these grids are fewer than 2^32 together.
/// - `values` is the multimem address, aligned to 16 bytes, of `n` elements on these GPUs, written before the grids start.
/// - `arrived` is the multimem address of a counter a CTA on these GPUs, all zero before the first of the grids starts;
///   `arrived_here` is this GPU's own address of the same counters.
/// - until all these grids end nothing else uses them.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn multimem_all_reduce(
    values: *mut f32,
    arrived: *mut u32,
    arrived_here: *mut u32,
    n: u32,
    gpu: u32,
    gpus: u32,
) {
    // SAFETY: the kernel's first call; the barriers below depend on the kernel's arguments and the CTA's rank alone.
    let (cta, (), _) = unsafe { Cta::enter_with::<(), Block<THREADS>>() };
    let ctas = cta.grid_size() as usize;
    // SAFETY: the contract above; the counters are accessed by such handles alone, all in scope `.sys`, the values by the first.
    let (values, arrived, arrived_here) = unsafe {
        (
            Multicast::<f32>::from_raw(values, n as usize),
            Multicast::<u32>::from_raw(arrived, ctas),
            GlobalAtomics::<u32, scope::Sys>::from_raw(arrived_here, ctas),
        )
    };
    let rank = cta.grid_rank() as usize;
    let (Some(arrived), Some(arrived_here)) = (arrived.get(rank), arrived_here.get(rank)) else { trap() };
    let Some(vectors) = values.vectors::<4>() else { trap() };

    meet(&cta, arrived, arrived_here, gpus);
    // Each element has one thread among those of all GPUs.
    let first = (gpu * cta.grid_size() + cta.grid_rank()) * THREADS + cta.thread_rank();
    let step = gpus * cta.grid_size() * THREADS;
    let mut v = first;
    while let Some(vector) = vectors.get(v as usize) {
        vector.store(vector.load_reduce_add(sem::Relaxed), sem::Relaxed);
        v += step;
    }
    let mut i = n / 4 * 4 + first;
    while let Some(value) = values.get(i as usize) {
        value.store(value.load_reduce_add(sem::Relaxed), sem::Relaxed);
        i += step;
    }
    // The grid's end is the end of the others' stores too.
    meet(&cta, arrived, arrived_here, 2 * gpus);
}

/// Waits until this call was made `until` times by the CTAs of this rank: what their threads did before is then visible.
fn meet(
    cta: &Cta,
    arrived: MulticastRef<u32>,
    arrived_here: AtomicRef<'_, u32, scope::Sys, space::Global>,
    until: u32,
) {
    cta.sync();
    if cta.is_leader() {
        arrived.reduce_add(1, sem::Release);
        // The same counter by another address.
        fence::proxy_alias();
        while arrived_here.fetch_or(0, sem::Acquire) < until {}
    }
    cta.sync();
}
