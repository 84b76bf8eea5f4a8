//! Typed launches compile for each kind of parameter, and are checked before the backend sees them. `examples` runs them on a GPU.

use std::cell::RefCell;

use ptx::launch::Kernel;
use ptx_host::cudarc::driver::{CudaSlice, CudaStream};
use ptx_host::{
    Arguments, CUtensorMapSwizzle, Function, Grid, LaunchConfig, Launcher, LoadedKernels, Matrix, Memory,
    MemoryMut, Region, Result, Tensor, TensorElement, TensorMap, TensorMapBuilder,
};

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

/// A backend that runs nothing: a launch keeps the shape and the bytes of the parameters.
#[derive(Default)]
struct Nowhere(RefCell<Vec<(LaunchConfig, Vec<usize>)>>);

/// Memory of that backend.
struct Place {
    address: u64,
    len: usize,
}

// SAFETY: no kernel runs.
unsafe impl Function for Nowhere {
    type Queue = ();
    type Guard<'a> = ();

    fn tensor_map<T: TensorElement>(_: &(), _: &TensorMapBuilder, _: u64, _: usize) -> Result<TensorMap> {
        Ok(TensorMap { opaque: [0; 16] })
    }

    unsafe fn launch(&self, config: &LaunchConfig, arguments: Arguments<'_, Self>) -> Result<()> {
        self.0.borrow_mut().push((*config, arguments.bytes().map(<[_]>::len).collect()));
        Ok(())
    }

    fn label(&self) -> &str {
        "`k` of nowhere"
    }
}

// SAFETY: nothing accesses the memory.
unsafe impl<'a, T> Memory<'a, T, Nowhere> for &'a Place {
    fn lend(self, _: &'a ()) -> Result<Region<()>, String> {
        Ok(Region { address: self.address, len: self.len, guard: () })
    }
}
// SAFETY: nothing accesses the memory.
unsafe impl<'a, T> MemoryMut<'a, T, Nowhere> for &'a Place {}

fn launcher<K: Kernel>(_: K) -> Launcher<K, Nowhere> {
    // SAFETY: no kernel runs.
    unsafe { Launcher::new(Nowhere::default()) }
}

#[test]
fn a_launch_has_the_shape_and_the_parameters_of_its_kernel() {
    let (x, y) = (Place { address: 0x1000, len: 5000 }, Place { address: 0x9000, len: 5000 });
    let axpy = launcher(launch::axpy);
    axpy.launch(&(), 132, (2.0, &x, &y)).unwrap();
    let shape = LaunchConfig::new(132, 256).dynamic_shared(57360);
    assert_eq!(axpy.function().0.take(), [(shape, vec![4, 16, 16])]);

    let copy = launcher(launch::copy_boxes);
    copy.launch(&(), 2, (Tensor::new(&x, [64, 32]), Tensor::new(&y, [64, 32]))).unwrap();
    assert_eq!(copy.function().0.take(), [(LaunchConfig::new(2, 128), vec![128, 192])]);
}

#[test]
fn each_wrong_argument_is_refused_with_its_name_and_the_rule() {
    let place = |address, len| Place { address, len };
    let (x, odd, short) = (place(0x1000, 8192), place(0x1004, 8192), place(0x1000, 100));
    let (axpy, blur) = (launcher(launch::axpy), launcher(launch::blur));
    let (copy, rows) = (launcher(launch::copy_boxes), launcher(launch::add_rows));
    let weights = launch::Weights { scale: 0.5, taps: [1.0; 5], wraps: true };
    let matrix = |memory, columns| Matrix::new(memory, 8, columns);
    let swizzled = |swizzle| Tensor::new(&x, [64, 32]).swizzle(swizzle);
    let packed = || Tensor::new(&x, [64, 32]);
    let huge = place(0x1000, (1 << 32) - 1);
    let cases = [
        (
            axpy.launch(&(), 1, (2.0, &odd, &x)),
            "argument 1 (`x`) starts at 0x1004, which is no multiple of 16",
        ),
        (axpy.launch(&(), 1, (2.0, &x, &odd)), "argument 2 (`y`) starts at 0x1004"),
        (axpy.launch(&(), (1, 2), (2.0, &x, &x)), "a grid of (1, 2, 1), but the kernel was built for"),
        (axpy.launch(&(), Grid::new(1).programmatic(), (2.0, &x, &x)), "memory outside of a `Prerequisite`"),
        (blur.launch(&(), (1 << 31, 2), (weights, &x, &x)), "2^32 blocks or more"),
        (
            blur.launch(&(), 1, (weights, &x, &huge)),
            "argument 2 (`y`) has 4294967295 elements, which the kernel",
        ),
        (
            rows.launch(&(), 2, (matrix(&short, 256), &x, &x, matrix(&x, 256))),
            "argument 0 (`rows`) is a matrix of 8",
        ),
        (
            rows.launch(&(), 2, (matrix(&x, 255), &x, &x, matrix(&x, 256))),
            "has rows of 1020 bytes, which is no",
        ),
        (
            rows.launch(&(), 2, (matrix(&x, 256), &x, &x, matrix(&odd, 256))),
            "argument 3 (`doubled`) starts at 0x1004",
        ),
        (
            copy.launch(&(), 1, (swizzled(CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_64B), packed())),
            "argument 0 (`from`) has the swizzle CU_TENSOR_MAP_SWIZZLE_64B, but a row of the kernel's box has 128 bytes",
        ),
        (
            copy.launch(
                &(),
                1,
                (packed(), swizzled(CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B)),
            ),
            "argument 1 (`to`) has the swizzle CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B; a typed launch takes none",
        ),
        (
            copy.launch(&(), 1, (Tensor::new(&odd, [64, 32]), packed())),
            "argument 0 (`from`) starts at 0x1004",
        ),
        (
            copy.launch(&(), 1, (packed(), packed().strides(&[128]))),
            "argument 1 (`to`) is written, and its stride of 128 bytes is less than the 256 bytes",
        ),
        (
            copy.launch(&(), 1, (packed(), Tensor::new(&short, [25, 4]).strides(&[112]))),
            "argument 1 (`to`) is written by 16 bytes, up to byte 448, but its memory has 400 bytes",
        ),
    ];
    for (i, (result, says)) in cases.into_iter().enumerate() {
        let error = result.expect_err(says).to_string();
        assert!(error.contains(says), "case {i}: {error}");
        assert!(error.starts_with("cannot launch kernel `k` of nowhere: "), "case {i}: {error}");
    }
    for function in [axpy.function(), blur.function(), copy.function(), rows.function()] {
        assert!(function.0.borrow().is_empty());
    }
}
