//! Matrix-vector product (GEMV): one warp per row, with a warp reduction.

use ptx::global::{Global, GlobalElementsMut, GlobalMatrix};
use ptx::launch::{Block, Cta};
use ptx::math::fma;

/// `y` ← `matrix` · `x`; the matrix is row-major.
///
/// Launch: a 1-D grid of any size, 256 threads per CTA.
///
/// # Safety
///
/// - The grid has this launch shape. Every thread calls the function once, at the kernel's start.
/// - `matrix`, `x` and `y` are the addresses of `rows * columns`, `columns` and `rows` elements of global memory, which do not
///   overlap. The first two are 16-byte aligned. `columns` is a multiple of 4. `rows` plus the number of threads of the grid is
///   less than 2^32.
/// - Until the grid ends, no thread writes `matrix` and `x`, and only this grid accesses `y`.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn matrix_vector(
    matrix: *const f32,
    x: *const f32,
    y: *mut f32,
    rows: u32,
    columns: u32,
) {
    // SAFETY: clause 1 of `# Safety`. Conditions of the warp's calls depend on kernel arguments and the warp's rank alone.
    let (cta, (), _) = unsafe { Cta::enter_with::<(), Block<256>>() };
    // SAFETY: clauses 2 and 3 of `# Safety`. Every thread makes each handle once, with equal arguments.
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
