//! y ← a·x + y by plain loads and stores: each thread moves vectors of 16 bytes (`float4`).

use ptx::global::{Global, GlobalVectorsMut};
use ptx::launch::{Block, Cta};
use ptx::math::fma;

/// `y[i]` ← fma(a, `x[i]`, `y[i]`) for i < n.
///
/// Launch: a 1-D grid of any size, 256 threads per CTA. With n / 4 threads in the grid, each thread has one vector.
///
/// # Safety
///
/// - The grid has this launch shape. Every thread calls the function once, at the kernel's start.
/// - `x` and `y` are the 16-byte aligned addresses of `n` elements of global memory each. They do not overlap.
/// - Until the grid ends, no thread writes `x`, and only this grid accesses `y`.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn axpy(a: f32, x: *const f32, y: *mut f32, n: usize) {
    // SAFETY: clause 1 of `# Safety`. The kernel makes no collective call.
    let (cta, (), _) = unsafe { Cta::enter_with::<(), Block<256>>() };
    // SAFETY: clauses 2 and 3 of `# Safety`. Every thread makes each handle once, with equal arguments.
    let (x, y) = unsafe { (Global::from_raw(x, n), GlobalVectorsMut::from_raw(y, n)) };

    let (vectors, rest) = y.vectors(&cta);
    for (v, y) in vectors {
        let (x, old) = (x.get_vector(v).unwrap_or_default(), y.read());
        y.write([0, 1, 2, 3].map(|i| fma(a, x[i], old[i])));
    }
    for (i, y) in rest {
        y.write(fma(a, x.get(i).unwrap_or_default(), y.read()));
    }
}
