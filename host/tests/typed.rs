//! Typed launches compile for each kind of parameter, and tensor maps for each kind of memory of `cudarc`. `examples` runs the
//! launches on a GPU.

use std::sync::Arc;

use ptx_host::cudarc::driver::sys::CUtensorMap;
use ptx_host::cudarc::driver::{
    CudaSlice, CudaStream, DeviceRepr, DriverError, UnifiedSlice, ValidAsZeroBits,
};
use ptx_host::{Grid, LoadedKernels, Matrix, Reset, Result, Tensor, TensorMap, TensorMapBuilder};

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
    let resets = (Reset::to_zero(&mut *sums), Reset::to_zero(&mut *counts));
    let doubled_again = Matrix::new(Reset::to_copy(&mut *doubled, rows).timed(), 8, 256);
    kernels.kernel(launch::add_rows)?.launch(
        stream,
        Grid::new(2),
        (Matrix::new(rows, 8, 256), resets.0, resets.1, doubled_again),
    )?;
    let (rows, doubled) = (Matrix::new(rows, 8, 256), Matrix::new(doubled, 8, 256));
    kernels.kernel(launch::add_rows)?.launch(stream, Grid::new(2), (rows, sums, counts, doubled))?;
    // SAFETY: the address is that of 100 words, which nothing else uses.
    unsafe { kernels.kernel(launch::fill)?.launch_unsafe(stream, 1, (0x1000u64, 100, 7)) }
}

/// `cudarc` allocates, fills and reads slices of halves.
#[allow(dead_code)]
fn halves_are_elements<T: DeviceRepr + ValidAsZeroBits + Default + Clone>(
    stream: &Arc<CudaStream>,
) -> std::result::Result<Vec<T>, DriverError> {
    let zeros: CudaSlice<T> = stream.alloc_zeros(64)?;
    stream.clone_dtoh(&zeros)
}
const _: fn(&Arc<CudaStream>) -> std::result::Result<Vec<ptx::f16>, DriverError> = halves_are_elements;
const _: fn(&Arc<CudaStream>) -> std::result::Result<Vec<ptx::bf16>, DriverError> = halves_are_elements;

/// A map describes each kind of memory of `cudarc`.
#[allow(dead_code)]
fn every_kind_of_memory_has_a_map(mut x: CudaSlice<f32>, mut y: UnifiedSlice<f32>) -> Result<[TensorMap; 6]> {
    let map = TensorMapBuilder::tiled(&[64, 32], &[32, 8]);
    Ok([
        map.encode(&x)?,
        map.encode(&x.slice(..))?,
        map.encode(&x.slice_mut(..))?,
        map.encode(&y)?,
        map.encode(&y.as_view())?,
        map.encode(&y.as_view_mut())?,
    ])
}

#[test]
fn a_map_is_the_drivers() {
    assert_eq!(size_of::<TensorMap>(), size_of::<CUtensorMap>());
    assert_eq!((size_of::<TensorMap>(), align_of::<TensorMap>()), (128, 64));
}
