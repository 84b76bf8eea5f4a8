//! y ← a·x + y by bulk async copies (TMA): persistent CTAs stream tiles through a [`Ring`](ptx::pipeline::Ring) of stages in
//! shared memory.

use core::f32::math::mul_add;

use ptx::global::{Global, GlobalMut};
use ptx::launch::{Block, Cta};
use ptx::pipeline::RingMemory;
use ptx::shared::DynamicShared;

/// `y[i]` ← fma(a, `x[i]`, `y[i]`) for i < n.
///
/// Launch: a 1-D grid of any size, 256 threads per CTA, dynamic shared memory for the ring.
///
/// The ring has two stages of two 14 KiB tiles: `bench/README.md` has the sweep that chose them.
///
/// # Safety
///
/// - The grid has this launch shape. Every thread calls the function once, at the kernel's start.
/// - `x` and `y` are the 16-byte aligned addresses of `n` elements of global memory each. They do not overlap.
/// - Until the grid ends, no thread writes `x`, and only this grid accesses `y`.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn axpy_bulk(a: f32, x: *const f32, y: *mut f32, n: usize) {
    // SAFETY: clause 1 of `# Safety`. Conditions of collective calls depend on kernel arguments and the ring alone.
    let (cta, (), dynamic) = unsafe { Cta::enter_with::<(), Block<256>>() };
    // SAFETY: clauses 2 and 3 of `# Safety`. Every thread makes each handle once, with equal arguments.
    let (x, y) = unsafe { (Global::from_raw(x, n), GlobalMut::from_raw(y, n)) };
    axpy::<3584, 2>(cta, dynamic, a, x, y);
}

/// Runs the kernel's body for tiles of `TILE` elements and `STAGES` stages.
#[inline(always)]
pub fn axpy<const TILE: usize, const STAGES: usize>(
    cta: Cta,
    dynamic: DynamicShared,
    a: f32,
    x: Global<f32>,
    y: GlobalMut<f32, TILE>,
) {
    let (x, x_tail) = x.tiles::<TILE>();
    let (y, y_tail) = y.tiles(&cta);
    let (ring, _) = dynamic.take::<RingMemory<f32, TILE, 1, STAGES>>();

    y_tail.update(&cta, |i, y| x_tail.get(i).map_or(y, |x| mul_add(a, x, y)));
    cta.finish(ring, |cta, ring| ring.update_all(cta, [x], y, |[x], y| mul_add(a, x, y)).end());
}
