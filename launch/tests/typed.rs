//! Tests that typed launches and launches by name are checked before the backend sees them.

use std::cell::RefCell;
use std::marker::PhantomData;

use ptx::global::Global;
use ptx::launch::{Kernel, LaunchShape, Prerequisite, SafeKernel};
use ptx::qualifier::{swizzle_atomicity, swizzle_mode};
use ptx::tensor::{Box2, TensorMap, TensorMapMut, TensorMapReduce};
use ptx_launch::CUtensorMapSwizzle::{
    CU_TENSOR_MAP_SWIZZLE_32B as S32, CU_TENSOR_MAP_SWIZZLE_64B as S64, CU_TENSOR_MAP_SWIZZLE_128B as S128,
    CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B as S128_BY_32,
    CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B as S128_FLIP,
    CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B as S128_BY_64, CU_TENSOR_MAP_SWIZZLE_NONE as NONE,
};
use ptx_launch::{
    Argument, Arguments, ByName, Function, Grid, KernelArguments, LaunchConfig, LaunchProblem, Launcher,
    Matrix, Memory, MemoryMut, NoPadding, Region, Tensor, TensorMapParameters, TensorMapProblem,
};

/// The bytes of the parameters of a launch.
type Bytes = Vec<Vec<u8>>;

/// A backend that runs nothing: a launch keeps the shape and the bytes of the parameters.
#[derive(Default)]
struct Nowhere(RefCell<Vec<(LaunchConfig, Bytes)>>);

/// An error of that backend.
#[derive(Debug)]
struct Refused {
    is_launch: bool,
    text: String,
}

impl From<TensorMapProblem> for Refused {
    fn from(problem: TensorMapProblem) -> Self {
        Self { is_launch: false, text: problem.to_string() }
    }
}

/// A tensor map of that backend: its first word is the address of the tensor, its last word the swizzle.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Map([u64; 16]);
// SAFETY: 16 words have no padding, and their bytes are a multiple of the alignment.
unsafe impl NoPadding for Map {}

// SAFETY: a parameter by name has no contract.
unsafe impl<'a> Argument<'a, ByName, Nowhere> for Map {
    fn pass(self, arguments: &mut Arguments<'_, 'a, Nowhere>) -> Result<(), Refused> {
        arguments.push::<Self, Self>(self);
        Ok(())
    }
}

/// A piece of memory of that backend. The backend has no memory at the address 0.
struct Place {
    address: u64,
    len: usize,
}

// SAFETY: no kernel runs.
unsafe impl Function for Nowhere {
    type Queue = ();
    type Guard<'a> = ();
    type Lock = ();
    type TensorMap = Map;
    type Error = Refused;

    fn lock() {}

    unsafe fn tensor_map(_: &(), map: &TensorMapParameters<'_>) -> Result<Map, Refused> {
        let mut words = [map.address; 16];
        words[15] = map.swizzle as u64;
        Ok(Map(words))
    }

    unsafe fn launch(
        &self,
        config: &LaunchConfig,
        arguments: Arguments<'_, '_, Self>,
    ) -> Result<(), Refused> {
        self.0.borrow_mut().push((*config, arguments.bytes().map(<[_]>::to_vec).collect()));
        Ok(())
    }

    fn refuse(&self, problem: LaunchProblem) -> Refused {
        Refused { is_launch: true, text: problem.to_string() }
    }
}

// SAFETY: nothing accesses the memory.
unsafe impl<'a, T> Memory<'a, Nowhere, T> for &'a Place {
    fn lend(self, _: &'a ()) -> Result<Region<()>, String> {
        match self.address {
            0 => Err("is nowhere".into()),
            address => Ok(Region { address, len: self.len, guard: () }),
        }
    }
}
// SAFETY: nothing accesses the memory.
unsafe impl<'a, T> MemoryMut<'a, Nowhere, T> for &'a Place {}

// SAFETY: a parameter by name has no contract.
unsafe impl<'a> Argument<'a, ByName, Nowhere> for &'a Place {
    fn pass(self, arguments: &mut Arguments<'_, 'a, Nowhere>) -> Result<(), Refused> {
        arguments.push_address::<u8, _>(self)
    }
}

fn launcher<K: Kernel>(_: K) -> Launcher<K, Nowhere> {
    // SAFETY: no kernel runs.
    unsafe { Launcher::new(Nowhere::default()) }
}

/// Returns the shape of the launch, and the sizes of its parameters.
fn sizes<K: Kernel>(launcher: &Launcher<K, Nowhere>) -> (LaunchConfig, Vec<usize>) {
    let (shape, parameters) = &launcher.function().0.borrow()[0];
    (*shape, parameters.iter().map(Vec::len).collect())
}

#[test]
fn a_launch_has_the_shape_and_the_parameters_of_its_kernel() {
    let (x, y) = (Place { address: 0x1000, len: 5000 }, Place { address: 0x9000, len: 5000 });
    let axpy = launcher(launch::axpy);
    axpy.launch(&(), 132, (2.0, &x, &y)).unwrap();
    let shape = LaunchConfig::new(132, 256).dynamic_shared(57360);
    assert_eq!(sizes(&axpy), (shape, vec![4, 16, 16]));

    let copy = launcher(launch::copy_boxes);
    copy.launch(&(), 2, (Tensor::new(&x, [64, 32]), Tensor::new(&y, [64, 32]))).unwrap();
    assert_eq!(sizes(&copy), (LaunchConfig::new(2, 128), vec![128, 192]));
}

/// Returns the swizzle of the map of a parameter: the last word of the map.
fn swizzle(parameter: &[u8]) -> u8 {
    parameter[120]
}

#[test]
fn a_map_has_the_swizzle_of_its_parameter() {
    let (x, copy) = (Place { address: 0x1000, len: 5000 }, launcher(launch::copy_boxes));
    copy.launch(&(), 2, (Tensor::new(&x, [64, 32]), Tensor::new(&x, [64, 32]))).unwrap();
    let (_, parameters) = &copy.function().0.borrow()[0];
    assert_eq!([swizzle(&parameters[0]), swizzle(&parameters[1])], [S128 as u8, NONE as u8]);

    fn of<P>(x: &Place) -> u8
    where
        for<'a> (Tensor<&'a Place, 2>,): KernelArguments<'a, (P,), Nowhere>,
    {
        let of = launcher(Of::<true, (P,)>(PhantomData));
        of.launch(&(), 4, (Tensor::new(x, [64, 32]),)).map_err(|refused| refused.text).unwrap();
        swizzle(&of.function().0.borrow()[0].1[0])
    }
    type Loaded<const W: usize, M> = TensorMap<f32, Box2<W, 8, M>>;
    type Stored<const W: usize, M> = TensorMapMut<f32, Box2<W, 8, M>>;
    type Reduced<const W: usize, M> = TensorMapReduce<f32, Box2<W, 8, M>>;
    assert_eq!(of::<Loaded<32, swizzle_mode::None>>(&x), NONE as u8);
    assert_eq!(of::<Loaded<8, swizzle_mode::B32>>(&x), S32 as u8);
    assert_eq!(of::<Stored<16, swizzle_mode::B64>>(&x), S64 as u8);
    assert_eq!(of::<Reduced<32, swizzle_mode::B128>>(&x), S128 as u8);
    assert_eq!(of::<Loaded<32, (swizzle_mode::B128, swizzle_atomicity::B16)>>(&x), S128 as u8);
    assert_eq!(of::<Stored<32, (swizzle_mode::B128, swizzle_atomicity::B32)>>(&x), S128_BY_32 as u8);
    assert_eq!(of::<Loaded<32, (swizzle_mode::B128, swizzle_atomicity::B32FlipB8)>>(&x), S128_FLIP as u8);
    assert_eq!(of::<Loaded<32, (swizzle_mode::B128, swizzle_atomicity::B64)>>(&x), S128_BY_64 as u8);
}

#[test]
fn each_wrong_argument_is_refused_with_its_name_and_the_rule() {
    let place = |address, len| Place { address, len };
    let (x, odd, short) = (place(0x1000, 8192), place(0x1004, 8192), place(0x1000, 100));
    let (axpy, blur) = (launcher(launch::axpy), launcher(launch::blur));
    let (copy, rows) = (launcher(launch::copy_boxes), launcher(launch::add_rows));
    let weights = launch::Weights { scale: 0.5, taps: [1.0; 5], wraps: true };
    let matrix = |memory, columns| Matrix::new(memory, 8, columns);
    let packed = || Tensor::new(&x, [64, 32]);
    let (huge, half_aligned) = (place(0x1000, (1 << 32) - 1), place(0x1002, 100));
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
            blur.launch(&(), 1, (weights, &x, &half_aligned)),
            "argument 2 (`y`) starts at 0x1002, which is no multiple of 4",
        ),
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
        let error = result.expect_err(says);
        assert!(error.is_launch && error.text.contains(says), "case {i}: {error:?}");
    }
    for function in [axpy.function(), blur.function(), copy.function(), rows.function()] {
        assert!(function.0.borrow().is_empty());
    }
}

#[test]
fn a_tensor_that_has_no_map_is_refused_by_its_rule() {
    let (x, copy) = (Place { address: 0x1000, len: 8192 }, launcher(launch::copy_boxes));
    let packed = || Tensor::new(&x, [64, 32]);
    let refused = |from, to| copy.launch(&(), 1, (from, to)).unwrap_err();
    for (dims, rule) in [
        (
            [63, 32],
            "a stride of 252 bytes is not a multiple of 16: pad the rows, and give their length by `strides`",
        ),
        ([64, 0], "dimensions of the tensor: 0 is not in 1..=2147483648"),
        ([1 << 31; 2], "the tensor has 18446744073709551616 bytes, but the memory has 32768"),
        ([u64::MAX; 2], "dimensions of the tensor: 18446744073709551615 is not in 1..=2147483648"),
    ] {
        let error = refused(Tensor::new(&x, dims), packed());
        let text = format!("argument 0 (`from`) cannot have a tensor map: {rule}");
        assert!(error.is_launch && error.text == text, "{error:?}");
    }
    // Nothing overflows in the rules of a tensor that is written.
    for to in [Tensor::new(&x, [u64::MAX; 2]), Tensor::new(&x, [4, u64::MAX]).strides(&[u64::MAX])] {
        let error = refused(packed(), to);
        assert!(error.is_launch && error.text.contains("is written by 16 bytes, up to byte"), "{error:?}");
    }
    let error = refused(packed(), Tensor::new(&x, [4, 0]).strides(&[16]));
    assert!(
        error.text.starts_with("argument 1 (`to`) cannot have a tensor map: dimensions of the tensor: 0"),
        "{error:?}"
    );
    assert!(copy.function().0.borrow().is_empty());
}

/// A kernel of this shape, with these parameters, which is not on a device.
struct Of<const ANY: bool, P>(PhantomData<P>);
enum Shape<const ANY: bool> {}
impl<const ANY: bool> LaunchShape for Shape<ANY> {
    const BLOCK: [u32; 3] = [64, 2, 1];
    const CLUSTER: Option<[u32; 3]> = Some([2, 2, 1]);
    const SMALLER_BLOCKS: bool = ANY;
    const GRID_OF_ANY_RANK: bool = ANY;
}
// SAFETY: no kernel runs: the only backend is `Nowhere`.
unsafe impl<const ANY: bool, P> Kernel for Of<ANY, P> {
    const NAME: &'static str = "of";
    const FINGERPRINT: &'static str = "of__0";
    const LAYOUT: u64 = 0;
    const PARAMETERS: &'static [&'static str] = &[];
    const DYNAMIC_SHARED: u32 = 1000;
    type Shape = Shape<ANY>;
    type Parameters = P;
}
// SAFETY: no kernel runs: the only backend is `Nowhere`.
unsafe impl<const ANY: bool, P> SafeKernel for Of<ANY, P> {}

/// Returns the shape of a launch of a kernel without parameters, or the reason why the launch was refused.
fn shape_of<const ANY: bool>(grid: impl Into<Grid>) -> Result<LaunchConfig, String> {
    let of = launcher(Of::<ANY, ()>(PhantomData));
    of.launch(&(), grid, ()).map_err(|refused| refused.text)?;
    Ok(of.function().0.borrow()[0].0)
}

#[test]
fn block_cluster_and_shared_memory_are_the_kernels() {
    let config = shape_of::<true>(Grid::from((4, 2)).dynamic_shared(24).cooperative()).unwrap();
    assert_eq!((config.block, config.cluster), ((64, 2).into(), Some((2, 2).into())));
    assert_eq!((config.grid, config.dynamic_shared_bytes), ((4, 2).into(), 1024));
    assert!(config.cooperative && !config.programmatic);
    // A cluster that differs from the kernel's reaches the check of the launch, which refuses it.
    let other = shape_of::<true>(Grid::new(4).cluster(4)).unwrap();
    assert_eq!(other.cluster, Some(4.into()));
}

#[test]
fn a_block_is_at_most_what_the_kernel_assumes() {
    assert_eq!(shape_of::<true>(Grid::from((4, 2)).block((33, 1))).unwrap().block, (33, 1).into());
    let refused = shape_of::<true>(Grid::from((4, 2)).block((16, 3))).unwrap_err();
    assert!(
        refused.contains("a block of (16, 3, 1), but the kernel was built for blocks of at most (64, 2, 1)"),
        "{refused}"
    );
    // A kernel that states its block has no other.
    assert_eq!(shape_of::<false>(Grid::from((4, 2)).block((64, 2))).unwrap().block, (64, 2).into());
    let refused = shape_of::<false>(Grid::from((4, 2)).block((64, 1))).unwrap_err();
    assert!(
        refused.contains("a block of (64, 1, 1), but the kernel was built for blocks of (64, 2, 1)"),
        "{refused}"
    );
}

#[test]
fn a_grid_has_the_rank_that_the_kernel_assumes() {
    assert_eq!(shape_of::<false>((4, 2)).unwrap().grid, (4, 2).into());
    let refused = shape_of::<false>((4, 4)).unwrap_err();
    assert!(
        refused.contains("a grid of (4, 4, 1), but the kernel was built for grids of (2, 1, 1) in y and z"),
        "{refused}"
    );
    assert_eq!(shape_of::<true>((4, 4)).unwrap().grid, (4, 4).into());
    assert!(shape_of::<true>((1 << 31, 2)).unwrap_err().contains("2^32 blocks or more"));
}

#[test]
fn a_programmatic_launch_needs_prerequisites_alone() {
    fn launch<'a, P>(grid: Grid, arguments: impl KernelArguments<'a, P, Nowhere>) -> Result<(), String> {
        let of = launcher(Of::<true, P>(PhantomData));
        of.launch(&(), grid, arguments).map_err(|refused| refused.text)
    }
    type Waits = Prerequisite<Global<f32>>;
    let (x, grid) = (Place { address: 0x1000, len: 100 }, || Grid::new(4).programmatic());
    assert_eq!(launch::<(Waits, f32)>(grid(), (&x, 2.0)), Ok(()));
    let refused = [
        launch::<(Waits, Global<f32>)>(grid(), (&x, &x)),
        launch::<(Global<f32>, f32)>(grid(), (&x, 2.0)),
        launch::<(f32,)>(grid(), (2.0,)),
        launch::<()>(grid(), ()),
    ];
    for (i, refused) in refused.into_iter().enumerate() {
        assert!(refused.as_ref().is_err_and(|text| text.contains("`Prerequisite`")), "case {i}: {refused:?}");
    }
    assert_eq!(launch::<(Waits, Global<f32>)>(Grid::new(4), (&x, &x)), Ok(()));
}

#[test]
fn arguments_by_name_lie_aligned_and_in_order() {
    let (backend, config) = (Nowhere::default(), LaunchConfig::new(1, 1));
    let (x, nowhere) = (Place { address: 0x1000, len: 8 }, Place { address: 0, len: 8 });
    let values = (7u32, Map([9; 16]), -0.25f64, &x);
    let arguments = Arguments::by_name(&backend, &(), &config, values).unwrap();
    let bytes: Vec<&[u8]> = arguments.bytes().collect();
    assert!(bytes.iter().all(|bytes| bytes.as_ptr().addr() % 64 == 0));
    assert_eq!(bytes.iter().map(|bytes| bytes.len()).collect::<Vec<_>>(), [4, 128, 8, 8]);
    // SAFETY: the bytes are those of the values above, which live.
    unsafe {
        assert_eq!(*bytes[0].as_ptr().cast::<u32>(), 7);
        assert_eq!(*bytes[1].as_ptr().cast::<[u64; 16]>(), [9; 16]);
        assert_eq!(*bytes[2].as_ptr().cast::<f64>(), -0.25);
        assert_eq!(*bytes[3].as_ptr().cast::<u64>(), 0x1000);
    }
    let refused = Arguments::by_name(&backend, &(), &config, (7u32, &nowhere)).unwrap_err();
    assert!(refused.is_launch && refused.text == "argument 1 is nowhere", "{refused:?}");
}

#[test]
fn other_parameters_are_told_apart() {
    let (backend, config) = (Nowhere::default(), LaunchConfig::new(1, 1));
    let none = Arguments::by_name(&backend, &(), &config, ()).unwrap();
    assert_eq!(none.compare(&[]), Ok(()));
    let two = Arguments::by_name(&backend, &(), &config, (2.0f32, 8u64)).unwrap();
    assert_eq!(two.compare(&[4, 8]), Ok(()));
    assert_eq!(two.compare(&[4]), Err("it has 1 parameters, not 2".into()));
    assert_eq!(two.compare(&[4, 8, 8]), Err("it has 3 parameters, not 2".into()));
    assert_eq!(two.compare(&[4, 4]), Err("parameter 1 has 4 bytes, the argument has 8".into()));
}
