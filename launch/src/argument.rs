//! The arguments that the host passes for the parameters of a kernel.

use ptx::launch::{Plain, RawMatrix, RawSlice, RawTensorMut as DeviceTensorMut, kind};
use ptx::tensor::{BoxShape, TensorMapObject, TiledShape};

use crate::{
    Arguments, ByName, CUtensorMapFloatOOBfill, CUtensorMapL2promotion, CUtensorMapSwizzle, Function, Memory,
    MemoryMut, NoPadding, TensorElement, TensorMapBuilder,
};

/// An argument that the host passes for a parameter of a kernel.
///
/// | Parameter of the kernel | Argument, with the memory of CUDA |
/// |---|---|
/// | a scalar, a struct that derives `ptx::Plain` | the value |
/// | `Global<T>` | `&CudaSlice<T>` or `&CudaView<T>` |
/// | `GlobalMut`, `GlobalElementsMut`, `GlobalVectorsMut`, `GlobalScatter`, `GlobalTickets`, `GlobalAtomics`, `GlobalReduce` | `&mut CudaSlice<T>` or `&mut CudaViewMut<T>` |
/// | `GlobalMatrix`, `GlobalRowsMut`, `GlobalMatrixMut` | a [`Matrix`] of one of these |
/// | `TensorMap`, `TensorMapMut`, `TensorMapReduce` | a [`Tensor`] of one of these |
/// | `Prerequisite<P>` | what `P` takes |
/// | a raw pointer, in an `unsafe fn` | the address as a `u64` |
/// | any, in a launch by name ([`ByName`]) | a number, a `ptx_host::TensorMap`, or memory, which becomes its address; the address of other memory is a `u64` |
///
/// The launch waits for earlier work on the memory, on any queue, and later work waits for the launch. A `ptx_host::ForeignSlice`
/// stands for memory of another library in place of a `CudaSlice`, and its maker orders the work on it. A `ptx_host::Reset` of memory
/// that the kernel writes sets it before the kernel.
///
/// # Safety
///
/// `pass` adds the bytes of one parameter of the kind `P`, and the bytes keep the contract of that parameter until the launch has
/// ended.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed for this parameter of the kernel",
    label = "the parameter takes another argument: `{P}`",
    note = "`kind::Value<T>` takes a value of the type `T`, `kind::Matrix<T>` and `kind::MatrixMut<T>` a `Matrix::new(&x, rows, columns)`; the documentation of `ptx_host::Argument` lists what each parameter takes"
)]
pub unsafe trait Argument<'a, P, F: Function> {
    /// Adds the argument to the launch.
    ///
    /// # Errors
    ///
    /// The rule that the argument breaks.
    fn pass(self, arguments: &mut Arguments<'_, 'a, F>) -> Result<(), F::Error>;
}

// SAFETY: `pass` adds the bytes of one `kind::Value<T>`, as `Argument` requires.
unsafe impl<'a, T: Plain, F: Function> Argument<'a, kind::Value<T>, F> for T {
    fn pass(self, arguments: &mut Arguments<'_, 'a, F>) -> Result<(), F::Error> {
        arguments.push_plain(self);
        Ok(())
    }
}

// SAFETY: `pass` adds the bytes of one `kind::Address<T>`, as `Argument` requires.
unsafe impl<'a, T, F: Function> Argument<'a, kind::Address<T>, F> for u64 {
    fn pass(self, arguments: &mut Arguments<'_, 'a, F>) -> Result<(), F::Error> {
        arguments.push::<*const T, u64>(self);
        Ok(())
    }
}

macro_rules! numbers {
    ($($T:ty),*) => { $(
        #[diagnostic::do_not_recommend]
        // SAFETY: a parameter by name has no contract.
        unsafe impl<'a, F: Function> Argument<'a, ByName, F> for $T {
            fn pass(self, arguments: &mut Arguments<'_, 'a, F>) -> Result<(), F::Error> {
                arguments.push::<$T, $T>(self);
                Ok(())
            }
        }
    )* };
}
numbers!(bool, u8, i8, u16, i16, u32, i32, u64, i64, f32, f64);
#[cfg(target_pointer_width = "64")]
numbers!(usize, isize);

// SAFETY: a parameter by name has no contract.
unsafe impl<'a, T, F: Function> Argument<'a, ByName, F> for RawSlice<T> {
    fn pass(self, arguments: &mut Arguments<'_, 'a, F>) -> Result<(), F::Error> {
        arguments.push::<RawSlice<T>, _>(self);
        Ok(())
    }
}

// SAFETY: a parameter by name has no contract.
unsafe impl<'a, T, F: Function> Argument<'a, ByName, F> for RawMatrix<T> {
    fn pass(self, arguments: &mut Arguments<'_, 'a, F>) -> Result<(), F::Error> {
        arguments.push::<RawMatrix<T>, _>(self);
        Ok(())
    }
}

macro_rules! slices {
    ($( [$($generics:tt)*] $Kind:ty, $Memory:ident, $align:expr; )*) => { $(
        // SAFETY: `pass` adds the bytes of this kind, of memory that `Memory` and `MemoryMut` keep, as `Argument` requires.
        unsafe impl<'a, $($generics)* F: Function, M: $Memory<'a, F, T>> Argument<'a, $Kind, F> for M {
            fn pass(self, arguments: &mut Arguments<'_, 'a, F>) -> Result<(), F::Error> {
                let (address, len) = arguments.lend::<T, M>(self, $align)?;
                arguments.push::<RawSlice<T>, _>(RawSlice { base: address as *mut T, len });
                Ok(())
            }
        }
    )* };
}
slices! {
    [T,] kind::Slice<T>, Memory, 16;
    [T, const ALIGN: usize,] kind::SliceMut<T, ALIGN>, MemoryMut, ALIGN.max(size_of::<T>()) as u64;
    [T, S,] kind::Atomics<T, S>, MemoryMut, size_of::<T>() as u64;
}

// SAFETY: `pass` adds the bytes of this kind, of memory that `Memory` and `MemoryMut` keep, as `Argument` requires.
unsafe impl<'a, T, F: Function, M: MemoryMut<'a, F, T>> Argument<'a, kind::SliceMut32<T>, F> for M {
    fn pass(self, arguments: &mut Arguments<'_, 'a, F>) -> Result<(), F::Error> {
        let (address, len) = arguments.lend::<T, M>(self, size_of::<T>() as u64)?;
        // The product does not wrap: the grid has fewer than 2^32 blocks, and a block 1024 threads at most.
        let threads = arguments.config.grid.count() * arguments.config.block.count();
        if len as u128 + threads >= 1 << 32 {
            return Err(arguments.refuse(format!(
                "has {len} elements, which the kernel counts in 32 bits: with the {threads} threads of the grid they must be \
                 fewer than 2^32"
            )));
        }
        arguments.push::<RawSlice<T>, _>(RawSlice { base: address as *mut T, len });
        Ok(())
    }
}

/// The memory of a matrix, row by row, as an argument. `memory` is an argument for a slice of the elements.
///
/// ```no_run
/// # let stream = ptx_host::open(0)?.default_stream();
/// let mut y = stream.alloc_zeros::<f32>(480 * 640)?;
/// let matrix_of_480_rows = ptx_host::Matrix::new(&mut y, 480, 640);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Matrix<M> {
    memory: M,
    rows: u32,
    columns: u32,
}

impl<M> Matrix<M> {
    /// Makes a matrix of the first `rows * columns` elements. A row has a multiple of 16 bytes.
    pub const fn new(memory: M, rows: u32, columns: u32) -> Self {
        Self { memory, rows, columns }
    }

    fn pass_as<'a, T, F: Function>(self, arguments: &mut Arguments<'_, 'a, F>) -> Result<(), F::Error>
    where
        M: Memory<'a, F, T>,
    {
        let Matrix { memory, rows, columns } = self;
        let (address, len) = arguments.lend::<T, M>(memory, 16)?;
        let elements = u64::from(rows) * u64::from(columns);
        if elements > len as u64 {
            return Err(arguments.refuse(format!(
                "is a matrix of {rows} rows of {columns} elements, but its memory has {len} elements"
            )));
        }
        let row = u64::from(columns) * size_of::<T>() as u64;
        if !row.is_multiple_of(16) {
            let unit = 16 / (1 << (size_of::<T>() | 16).trailing_zeros());
            return Err(arguments.refuse(format!(
                "has rows of {row} bytes, which is no multiple of 16: give it a multiple of {unit} columns, and pass the number of \
                 those in use as an argument"
            )));
        }
        arguments.push::<RawMatrix<T>, _>(RawMatrix { base: address as *mut T, rows, columns });
        Ok(())
    }
}

macro_rules! matrices {
    ($($Kind:ident, $Memory:ident;)*) => { $(
        // SAFETY: `pass` adds the bytes of this kind, of memory that `Memory` and `MemoryMut` keep, as `Argument` requires.
        unsafe impl<'a, T, F: Function, M: $Memory<'a, F, T>> Argument<'a, kind::$Kind<T>, F> for Matrix<M> {
            fn pass(self, arguments: &mut Arguments<'_, 'a, F>) -> Result<(), F::Error> {
                self.pass_as::<T, F>(arguments)
            }
        }
    )* };
}
matrices! {
    Matrix, Memory;
    MatrixMut, MemoryMut;
}

/// A tensor as an argument: the launch encodes its map. The kernel's parameter gives the rank, the box, the swizzle and the
/// element type of the map.
///
/// ```no_run
/// # let stream = ptx_host::open(0)?.default_stream();
/// let x = stream.alloc_zeros::<f32>(480 * 640)?;
/// // 480 rows of 640 elements, for a `TensorMap<f32, Box2<32, 32, swizzle_mode::B128>>`.
/// let tensor = ptx_host::Tensor::new(&x, [640, 480]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[must_use = "a tensor is an argument of a launch"]
pub struct Tensor<M, const RANK: usize> {
    memory: M,
    dims: [u64; RANK],
    map: TensorMapBuilder,
}

impl<M, const RANK: usize> Tensor<M, RANK> {
    /// Makes a packed tensor of `dims` elements in each dimension, the innermost first.
    pub fn new(memory: M, dims: [u64; RANK]) -> Self {
        Self { memory, dims, map: TensorMapBuilder::tiled(&dims, &[]) }
    }

    /// Sets the strides in bytes of all dimensions but the innermost.
    pub fn strides(self, bytes: &[u64]) -> Self {
        Self { map: self.map.strides(bytes), ..self }
    }

    /// Sets the granularity of fetches into the L2 cache. The default is no promotion.
    pub fn l2_promotion(self, promotion: CUtensorMapL2promotion) -> Self {
        Self { map: self.map.l2_promotion(promotion), ..self }
    }

    /// Sets the value of elements outside the tensor. The default is zero.
    pub fn oob_fill(self, fill: CUtensorMapFloatOOBfill) -> Self {
        Self { map: self.map.oob_fill(fill), ..self }
    }

    /// Encodes the map for copies of the shape `S`, of a tensor that the grid writes or only reads.
    fn encode<'a, T, S, F>(
        self,
        arguments: &mut Arguments<'_, 'a, F>,
        is_written: bool,
    ) -> Result<F::TensorMap, F::Error>
    where
        T: TensorElement,
        S: TiledShape,
        F: Function,
        M: Memory<'a, F, T>,
    {
        let map = self.map.boxes(S::BOX).swizzle(const { swizzle(S::SPAN, S::UNIT) });
        let (address, len) = arguments.lend::<T, M>(self.memory, 16)?;
        if is_written {
            map.check_written(size_of::<T>() as u64, len).map_err(|reason| arguments.refuse(reason))?;
        }
        let map = map.check::<T>(address, len);
        let map = map.map_err(|problem| arguments.refuse(format!("cannot have a tensor map: {problem}")))?;
        // SAFETY: `check` has returned the parameters.
        unsafe { F::tensor_map(arguments.queue(), &map) }
    }
}

/// Returns CUDA's name of the swizzle of a shape. Fails to compile if the swizzle has no such name.
const fn swizzle(span: usize, unit: usize) -> CUtensorMapSwizzle {
    match (span, unit) {
        (0, _) => CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_NONE,
        (32, 16) => CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_32B,
        (64, 16) => CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_64B,
        (128, 16) => CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_128B,
        (128, 32) => CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B,
        (128, 8) => CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B,
        (128, 64) => CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B,
        _ => panic!(
            "the driver encodes no map with this swizzle: use a swizzle of 32, 64 or 128 bytes, or make the map on the device (`TensorMapDraft::swizzle_mode`)"
        ),
    }
}

macro_rules! tensors {
    ($($Kind:ident, $Memory:ident, $is_written:literal;)*) => { $(
        // SAFETY: `pass` adds the bytes of this kind, of memory that `Memory` and `MemoryMut` keep, as `Argument` requires.
        unsafe impl<'a, T, S, F, M, const RANK: usize> Argument<'a, kind::$Kind<T, S>, F> for Tensor<M, RANK>
        where
            T: TensorElement,
            S: BoxShape<Boxes = [u32; RANK]> + TiledShape,
            F: Function,
            M: $Memory<'a, F, T>,
        {
            fn pass(self, arguments: &mut Arguments<'_, 'a, F>) -> Result<(), F::Error> {
                let map = self.encode::<T, S, F>(arguments, $is_written)?;
                arguments.push::<TensorMapObject, _>(map);
                Ok(())
            }
        }
    )* };
}
tensors! {
    Tensor, Memory, false;
    TensorReduce, MemoryMut, true;
}

/// The bytes of a `TensorMapMut`.
#[repr(C)]
struct RawTensorMut<Map> {
    map: Map,
    /// A box count for each dimension, and zeros up to the alignment of the map.
    boxes: [u32; 16],
}

// SAFETY: a map has 128 bytes without padding, aligned to 64 (`Function::TensorMap`), and the counts have 64.
unsafe impl<Map: NoPadding> NoPadding for RawTensorMut<Map> {}

// SAFETY: `pass` adds the bytes of this kind, of memory that `Memory` and `MemoryMut` keep, as `Argument` requires.
unsafe impl<'a, T, S, F, M, const RANK: usize> Argument<'a, kind::TensorMut<T, S>, F> for Tensor<M, RANK>
where
    T: TensorElement,
    S: BoxShape<Boxes = [u32; RANK]> + TiledShape,
    F: Function,
    M: MemoryMut<'a, F, T>,
{
    fn pass(self, arguments: &mut Arguments<'_, 'a, F>) -> Result<(), F::Error> {
        let dims = self.dims;
        let map = self.encode::<T, S, F>(arguments, true)?;
        // The check of the map bounds the dimensions, and the shape bounds its box.
        let mut boxes = [0; 16];
        for i in 0..RANK {
            boxes[i] = dims[i].div_ceil(u64::from(S::BOX[i])) as u32;
        }
        let count: u128 = boxes[..RANK].iter().copied().map(u128::from).product();
        if count > 1 << 31 {
            return Err(arguments.refuse(format!(
                "has {count} boxes, but a kernel numbers 2^31 at most: choose larger boxes"
            )));
        }
        arguments.push::<DeviceTensorMut<S::Boxes>, _>(RawTensorMut { map, boxes });
        Ok(())
    }
}
