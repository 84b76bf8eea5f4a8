//! y ← a·x + y by plain loads and stores: sixteen bytes of each thread at a time.

use ptx::global::{Global, GlobalVectorsMut};
use ptx::launch::{Block, Cta};
use ptx::math::fma;

/// y\[i\] ← fma(a, x\[i\], y\[i\]) for i < n. Any row of CTAs of 256 threads; with n / 4 threads each has one vector.
///
/// # Safety
///
/// - called once by every thread, at the kernel's start.
/// - `x` and `y` are the addresses, aligned to 16 bytes, of `n` elements of global memory each, which do not overlap.
/// - until the grid ends nobody writes `x`, and nobody else uses `y`.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn axpy(a: f32, x: *const f32, y: *mut f32, n: usize) {
    // SAFETY: the kernel's first call; there is no collective one below.
    let (cta, (), _) = unsafe { Cta::enter_with::<(), Block<256>>() };
    // SAFETY: the contract above; every thread makes the same handles, once.
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
