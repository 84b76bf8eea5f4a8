//! The product of a matrix and a vector: a warp a row.

use ptx::global::{Global, GlobalElementsMut, GlobalMatrix};
use ptx::launch::{Block, Cta};
use ptx::math::fma;

/// y ← matrix · x; the matrix is row-major. Any row of CTAs of 256 threads.
///
/// # Safety
///
/// - called once by every thread, at the kernel's start.
/// - `matrix`, `x` and `y` are the addresses of `rows * columns`, `columns` and `rows` elements of global memory, which do not overlap,
///   the first two aligned to 16 bytes; `columns` is a multiple of 4; `rows` and the threads of the grid are fewer than 2^32 together.
/// - until the grid ends nobody writes `matrix` and `x`, and nobody else uses `y`.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn matrix_vector(
    matrix: *const f32,
    x: *const f32,
    y: *mut f32,
    rows: u32,
    columns: u32,
) {
    // SAFETY: the kernel's first call; below, control flow depends on the kernel's arguments and the warp's rank alone.
    let (cta, (), _) = unsafe { Cta::enter_with::<(), Block<256>>() };
    // SAFETY: the contract above; every thread makes the same handles, once.
    let (matrix, x, y) = unsafe {
        (
            GlobalMatrix::from_raw(matrix, rows, columns),
            Global::from_raw(x, columns as usize),
            GlobalElementsMut::from_raw(y, rows),
        )
    };
    let warp = cta.warp();

    for (row, y) in y.warp_elements(&cta) {
        let Some(row) = matrix.row(row) else { break };
        let mut sum = 0.0;
        row.for_each_pair::<f32, 2, 32>(x, warp.lane() as usize, |a, b| {
            sum = fma(a[0], b[0], fma(a[1], b[1], fma(a[2], b[2], fma(a[3], b[3], sum))));
        });
        let sum = warp.reduce_add(sum);
        if let Some(y) = y {
            y.write(sum);
        }
    }
}
