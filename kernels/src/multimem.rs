//! All-reduce over the GPUs of a multicast object (NVLink SHARP): the switch adds, and each element is stored once, to all GPUs.

use ptx::atomic::{AtomicRef, GlobalAtomics};
use ptx::fence;
use ptx::group::Cta;
use ptx::multimem::{Multicast, MulticastRef};
use ptx::qualifier::{scope, sem, space};
use ptx::trap;

const THREADS: u32 = 256;

/// `values[i]` of every GPU ← the sum of `values[i]` over the GPUs, for i < `n`. Only the interpreter has run the kernel, no
/// GPU: its addresses belong to a multicast object, which needs several GPUs.
///
/// Launch: on every GPU a 1-D grid of the same size, 256 threads per CTA. The GPU holds all CTAs at once, because CTA c waits for
/// the CTAs c of the other GPUs before it reads their values and before it ends.
///
/// The function is unsafe: one launch cannot give what it needs, as the grids of the other GPUs access the same memory.
///
/// # Safety
///
/// - Each of `gpus` GPUs launches a grid of this shape and the same size, with the same `n`, and with its own number, less than
///   `gpus`, as `gpu`. `n` plus the number of threads of all these grids is less than 2^32.
/// - `values` is the 16-byte aligned multimem address of `n` elements on these GPUs, written before the grids start.
/// - `arrived` is the multimem address of one counter per CTA on these GPUs, all zero before the first of the grids starts.
///   `arrived_here` is this GPU's own address of the same counters.
/// - Until all these grids end, nothing else accesses this memory.
#[ptx::kernel(threads = THREADS)]
pub unsafe fn multimem_all_reduce(
    cta: Cta,

    values: *mut f32,
    arrived: *mut u32,
    arrived_here: *mut u32,
    n: u32,
    gpu: u32,
    gpus: u32,
) {
    let ctas = cta.grid_size() as usize;
    // SAFETY: clauses 2 to 4 of `# Safety`. The grids access the counters through these handles alone, all in scope `.sys`, and
    // the values through the first handle alone.
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
    // Each element belongs to one thread of one GPU.
    let first = (gpu * cta.grid_size() + cta.grid_rank()) * THREADS + cta.thread_rank();
    let step = gpus * cta.grid_thread_count();
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
    if cta.is_leader() {
        // The leader accesses the counter at its multimem address again.
        fence::proxy_alias();
    }
    // This grid ends only after the stores of the other GPUs.
    meet(&cta, arrived, arrived_here, 2 * gpus);
}

/// Waits until the CTAs of this rank have made `until` calls. Earlier writes of their threads are then visible.
fn meet(
    cta: &Cta,
    arrived: MulticastRef<u32>,
    arrived_here: AtomicRef<'_, u32, scope::Sys, space::Global>,
    until: u32,
) {
    cta.sync();
    if cta.is_leader() {
        arrived.reduce_add(1, sem::Release);
        // A proxy fence: the loop accesses the same counter at another address.
        fence::proxy_alias();
        while arrived_here.fetch_or(0, sem::Acquire) < until {}
    }
    cta.sync();
}
