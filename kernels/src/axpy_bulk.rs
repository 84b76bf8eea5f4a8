//! y ← a·x + y by bulk async copies (TMA): persistent CTAs stream tiles through a [`Ring`](ptx::pipeline::Ring) of stages in
//! shared memory.

use core::f32::math::mul_add;

use ptx::global::{Global, GlobalMut};
use ptx::group::Cta;
use ptx::pipeline::RingMemory;

/// `y[i]` ← fma(a, `x[i]`, `y[i]`) for i < n.
///
/// Launch: a 1-D grid of any size, 256 threads per CTA, dynamic shared memory for the ring.
///
/// The ring has two stages of two 14 KiB tiles: `bench/README.md` has the sweep that chose them.
#[ptx::kernel(threads = 256)]
pub fn axpy_bulk(
    cta: Cta,
    #[dynamic] ring: RingMemory<[f32; 3584], 2>,
    a: f32,
    #[len(n)] x: Global<f32>,
    #[len(n)] y: GlobalMut<f32, 3584>,
    n: usize,
) {
    axpy(cta, ring, a, x, y);
}

/// Runs the kernel's body for tiles of `TILE` elements and `STAGES` stages.
#[inline(always)]
pub fn axpy<const TILE: usize, const STAGES: usize>(
    cta: Cta,
    ring: RingMemory<[f32; TILE], STAGES>,
    a: f32,
    x: Global<f32>,
    y: GlobalMut<f32, TILE>,
) {
    let (x, x_tail) = x.tiles::<TILE>();
    let (y, y_tail) = y.tiles(&cta);

    y_tail.update(&cta, |i, y| x_tail.get(i).map_or(y, |x| mul_add(a, x, y)));
    cta.finish(ring, |cta, ring| ring.update_all(cta, [x], y, |[x], y| mul_add(a, x, y)).end());
}
