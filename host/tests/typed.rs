//! Typed launches compile for each kind of parameter. `ptx-gpu` runs them.

use ptx_host::cudarc::driver::{CudaSlice, CudaStream};
use ptx_host::{Grid, LoadedKernels, Matrix, Result, Tensor};

/// Each argument is checked against its parameter; `literal`s take the parameter's type.
#[allow(dead_code)]
fn every_kind_of_argument_compiles(
    kernels: &LoadedKernels,
    stream: &CudaStream,
    (x, y): (&CudaSlice<f32>, &mut CudaSlice<f32>),
    (counts, sums): (&mut CudaSlice<u64>, &mut CudaSlice<u32>),
    (rows, doubled): (&CudaSlice<u32>, &mut CudaSlice<u32>),
) -> Result<()> {
    kernels.kernel(launch::axpy)?.launch(stream, 132, (2.0, x, &mut *y))?;
    let weights = launch::Weights { scale: 0.5, taps: [1.0; 5], wraps: true };
    let (view, mut view_mut) = (x.slice(..100), y.slice_mut(4..104));
    kernels.kernel(launch::blur)?.launch(stream, (4, 2), (weights, &view, &mut view_mut))?;
    let (from, to) = (Tensor::new(x, [64, 32]), Tensor::new(&mut *y, [64, 32]));
    kernels.kernel(launch::copy_boxes)?.launch(stream, 2, (from, to))?;
    let (rows, doubled) = (Matrix::new(rows, 8, 256), Matrix::new(doubled, 8, 256));
    kernels.kernel(launch::add_rows)?.launch(stream, Grid::new(2), (rows, sums, counts, doubled))?;
    // SAFETY: the address is that of 100 words, which nothing else uses.
    unsafe { kernels.kernel(launch::fill)?.launch_unsafe(stream, 1, (0x1000u64, 100, 7)) }
}
