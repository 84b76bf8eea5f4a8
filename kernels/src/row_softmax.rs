//! The softmax of each row of a matrix: a CTA a row, which it keeps in shared memory between its three passes.

use ptx::global::{GlobalMatrix, GlobalRowsMut};
use ptx::launch::{Block, Cta, trap};
use ptx::math::{exp, rcp};
use ptx::reduce::ReduceMemory;

ptx::shared_memory! {
    struct Smem { partials: ReduceMemory<f32> }
}

/// Each row of the output ← e to the elements of that row of the input, divided by their sum; the greatest of them is subtracted
/// before, so that nothing overflows. Any row of CTAs of 256 threads; dynamic shared memory of `4 * columns` bytes.
///
/// # Safety
///
/// - called once by every thread, at the kernel's start.
/// - `input` and `output` are the addresses, aligned to 16 bytes, of `rows * columns` elements of global memory each, which do not
///   overlap; `columns` is a multiple of 4.
/// - until the grid ends nobody writes `input`, and nobody else uses `output`.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn row_softmax(input: *const f32, output: *mut f32, rows: u32, columns: u32) {
    // SAFETY: the kernel's first call; below, control flow depends on the kernel's arguments and the CTA's rank alone.
    let (cta, smem, dynamic) = unsafe { Cta::enter_with::<Smem, Block<256>>() };
    // SAFETY: the contract above; every thread makes the same handles, once.
    let (input, output) = unsafe {
        (GlobalMatrix::from_raw(input, rows, columns), GlobalRowsMut::from_raw(output, rows, columns))
    };
    let mut partials = smem.partials;
    let (mut cached, _) = dynamic.take_own::<f32>(&cta, columns / 4);

    for (row, to) in output.rows(&cta) {
        let Some(from) = input.row(row) else { trap() };

        let mut greatest = f32::NEG_INFINITY;
        cached.fill_from::<4>(from, |x| greatest = x[0].max(x[1]).max(x[2].max(x[3])).max(greatest));
        let greatest = partials.reduce_max(&cta, greatest);

        let mut sum = 0.0;
        for (_, mut vector) in cached.vectors() {
            let x = vector.get().map(|x| exp(x - greatest));
            vector.set(x);
            sum += (x[0] + x[1]) + (x[2] + x[3]);
        }
        let scale = rcp(partials.reduce_add(&cta, sum));

        cached.write_to(to, |x| x.map(|x| x * scale));
    }
}
