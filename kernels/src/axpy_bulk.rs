//! y ← a·x + y by bulk copies: persistent CTAs, each streaming its tiles through a ring of shared-memory stages.

use core::f32::math::mul_add;

use ptx::global::{Global, GlobalMut};
use ptx::launch::{Block, Cta};
use ptx::pipeline::RingMemory;
use ptx::shared::DynamicShared;

/// y\[i\] ← fma(a, x\[i\], y\[i\]) for i < n. Any row of CTAs of 256 threads; dynamic shared memory for the ring.
///
/// Two stages of two 14 KiB tiles: `bench/README.md` has the sweep that chose them.
///
/// # Safety
///
/// - called once by every thread, at the kernel's start.
/// - `x` and `y` are the addresses, aligned to 16 bytes, of `n` elements of global memory each, which do not overlap.
/// - until the grid ends nobody writes `x`, and nobody else uses `y`.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn axpy_bulk(a: f32, x: *const f32, y: *mut f32, n: usize) {
    // SAFETY: the kernel's first call; below, control flow depends on kernel arguments and on the ring alone, which are
    // equal in all threads of the CTA.
    let (cta, (), dynamic) = unsafe { Cta::enter_with::<(), Block<256>>() };
    // SAFETY: the contract above; every thread makes the same handles, once.
    let (x, y) = unsafe { (Global::from_raw(x, n), GlobalMut::from_raw(y, n)) };
    axpy::<3584, 2>(cta, dynamic, a, x, y);
}

/// The kernel for tiles of `TILE` elements and `STAGES` stages.
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
    cta.async_scope_last(ring, |cta, ring| ring.update_all_last(cta, [x], y, |[x], y| mul_add(a, x, y)));
}
