//! What the host passes for the parameters of a typed kernel.

use std::sync::Arc;

use cudarc::driver::sys::CUstreamCaptureStatus;
use cudarc::driver::{
    CudaSlice, CudaStream, CudaView, CudaViewMut, DevicePtr, DevicePtrMut, DeviceSlice, SyncOnDrop,
};
use ptx::launch::{Parameter, Plain, RawMatrix, RawSlice, RawTensorMut as DeviceTensorMut, kind};
use ptx::tensor::{BoxShape, TensorMapObject, TiledShape};

use crate::arguments::Arguments;
use crate::{
    CUtensorMapFloatOOBfill, CUtensorMapL2promotion, CUtensorMapSwizzle, Error, Function, Kernel, KernelArg,
    LaunchConfig, LaunchProblem, Result, TensorElement, TensorMap, TensorMapBuilder,
};

/// Why an argument was refused.
#[doc(hidden)]
#[allow(missing_docs)]
#[derive(Debug)]
pub enum Refusal {
    Problem(LaunchProblem),
    Error(Error),
}

/// The arguments that have been passed so far.
#[doc(hidden)]
#[derive(Debug)]
pub struct List<'l, 'a, F: Function> {
    arguments: &'l mut Arguments<'a, F>,
    names: &'static [&'static str],
    config: &'l LaunchConfig,
}

impl<'l, 'a, F: Function> List<'l, 'a, F> {
    pub(crate) fn new(
        arguments: &'l mut Arguments<'a, F>,
        names: &'static [&'static str],
        config: &'l LaunchConfig,
    ) -> Self {
        Self { arguments, names, config }
    }

    fn queue(&self) -> &'a F::Queue {
        self.arguments.queue()
    }

    /// Adds the bytes of a parameter. `Raw` is its type on the device.
    fn push<Raw, T>(&mut self, value: T) {
        const { assert!(size_of::<T>() == size_of::<Raw>() && align_of::<T>() == align_of::<Raw>()) };
        self.arguments.value(value);
    }

    /// Borrows memory until the launch is queued.
    fn lend<T, M: Memory<'a, T, F>>(&mut self, memory: M, align: u64) -> Result<(u64, usize), Refusal> {
        let region = memory.lend(self.queue()).map_err(|reason| self.refuse(reason))?;
        self.arguments.guard(region.guard);
        if region.address.is_multiple_of(align) {
            Ok((region.address, region.len))
        } else {
            Err(self
                .refuse(format!("starts at {:#x}, which is no multiple of {align} bytes", region.address)))
        }
    }

    /// Refuses the present argument.
    fn refuse(&self, reason: String) -> Refusal {
        let argument = self.arguments.values.len();
        let name = self.names.get(argument).copied().unwrap_or("_");
        Refusal::Problem(LaunchProblem::Argument(format!("{argument} (`{name}`)"), reason))
    }
}

/// A region of a backend's memory, in use until `guard` is dropped, after the launch.
#[derive(Debug)]
pub struct Region<G> {
    /// The address on the device.
    pub address: u64,
    /// The elements.
    pub len: usize,
    /// Keeps the memory in use.
    pub guard: G,
}

/// Memory that a kernel may read: of CUDA, a reference to a `CudaSlice` or a view of one.
///
/// # Safety
///
/// The region has `len` initialised elements. Until the launch has ended, the region stays allocated, and nothing writes it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no memory of `{T}` for a kernel",
    label = "not a `&CudaSlice<{T}>`, and no view of one"
)]
pub unsafe trait Memory<'a, T, F: Function> {
    /// Borrows the region for a launch on `queue`.
    ///
    /// # Errors
    ///
    /// Why the queue cannot use the memory.
    fn lend(self, queue: &'a F::Queue) -> Result<Region<F::Guard<'a>>, String>;
}

/// Memory that a kernel may write: of CUDA, a `&mut` to a `CudaSlice` or a view of one.
///
/// # Safety
///
/// Until the launch has ended, nothing else accesses the region.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no memory of `{T}` that a kernel may write",
    label = "not a `&mut CudaSlice<{T}>`, and no `&mut CudaViewMut<{T}>`"
)]
pub unsafe trait MemoryMut<'a, T, F: Function>: Memory<'a, T, F> {}

/// Keeps memory in use until the launch is queued. Then the memory's own stream waits for the launch, so that a drop of the memory,
/// which frees it on that stream, comes after, whatever has become of the events of `cudarc`.
#[derive(Debug)]
pub struct InUse<'a> {
    /// Dropped after the wait: records the use.
    _event: SyncOnDrop<'a>,
    /// The memory's stream and that of the launch, if they differ.
    streams: Option<(Arc<CudaStream>, &'a CudaStream)>,
    /// Whether the memory is of a per-thread stream.
    pub(crate) is_per_thread: bool,
}

/// Returns whether the handle stands for another stream in each thread, which `cudarc` does not know.
pub(crate) fn is_per_thread(stream: &CudaStream) -> bool {
    stream.cu_stream().addr() == 2
}

impl<'a> InUse<'a> {
    /// Lets the stream wait for all uses that the memory's own stream has waited for.
    fn begin(event: SyncOnDrop<'a>, owner: Arc<CudaStream>, stream: &'a CudaStream) -> Result<Self, String> {
        if matches!(event, SyncOnDrop::Record(None)) {
            return Err("is a slice without events, so nothing orders its uses; pass memory of `CudaStream::alloc_zeros` or \
                 `clone_htod`, from a context whose event tracking is on"
                .into());
        }
        let differ = owner.cu_stream() != stream.cu_stream();
        if differ {
            stream
                .join(&owner)
                .map_err(|error| format!("is a slice, and the stream cannot wait for its uses: {error:?}"))?;
        }
        let is_per_thread = is_per_thread(&owner);
        Ok(Self { _event: event, streams: differ.then_some((owner, stream)), is_per_thread })
    }
}

impl Drop for InUse<'_> {
    fn drop(&mut self) {
        if let Some((owner, stream)) = &self.streams
            && owner.join(stream).is_err()
        {
            // The memory may be freed at once, so the work on it ends first.
            let _ = stream.synchronize();
        }
    }
}

macro_rules! memory {
    ($( $Slice:ty, $pointer:ident $($Mut:ident)?; )*) => { $(
        // SAFETY: `usable` refuses memory that `cudarc` does not order by events. `InUse` orders the launch after all launches
        // and before each later use on the memory's stream, its drop too. A `CudaSlice` is initialised, as `CudaStream::alloc` is
        // unsafe.
        unsafe impl<'a, T> Memory<'a, T, Kernel> for $Slice {
            fn lend(self, stream: &'a CudaStream) -> Result<Region<InUse<'a>>, String> {
                usable(self.stream(), stream)?;
                let (len, owner) = (self.len(), self.stream().clone());
                // `cudarc` multiplies without a check: a greater length has less memory.
                if len.checked_mul(size_of::<T>()).is_none_or(|bytes| bytes >= 1 << 48) {
                    return Err(format!("is a slice of {len} elements, more than any memory holds"));
                }
                let (address, event) = self.$pointer(stream);
                Ok(Region { address, len, guard: InUse::begin(event, owner, stream)? })
            }
        }
        $(
            // SAFETY: the borrow is exclusive, and the launch is ordered with all uses before and after it.
            unsafe impl<'a, T> $Mut<'a, T, Kernel> for $Slice {}
        )?
        impl<'a, T> KernelArg<'a> for $Slice {
            fn add_to(self, arguments: &mut Arguments<'a>) {
                arguments.memory::<T, _>(self);
            }
        }
    )* };
}
memory! {
    &'a CudaSlice<T>, device_ptr;
    &'a CudaView<'_, T>, device_ptr;
    &'a mut CudaSlice<T>, device_ptr_mut MemoryMut;
    &'a mut CudaViewMut<'_, T>, device_ptr_mut MemoryMut;
}

/// Refuses memory of `owner` whose uses on `stream` no events order.
fn usable(owner: &CudaStream, stream: &CudaStream) -> Result<(), String> {
    let refuse = |reason: &str| Err(reason.to_owned());
    // Each opening of a device counts its own streams, and by them decides whether slices have events.
    if !Arc::ptr_eq(owner.context(), stream.context()) {
        return refuse(
            "is a slice of another context than the stream's; open the device once, or copy the slice",
        );
    }
    if !stream.context().is_event_tracking() {
        return refuse(
            "is a slice, and the context's event tracking is off, so nothing orders the uses of the slice; leave the tracking on, \
             or pass the address as a `u64` to a launch by name",
        );
    }
    match is_captured(stream) {
        Ok(false) => Ok(()),
        Ok(true) => refuse(
            "is a slice, and the stream is being captured, but a graph runs after the borrow has ended; pass the address as a \
             `u64` to a launch by name",
        ),
        Err(reason) => Err(format!("is a slice, and the stream {reason}")),
    }
}

/// Returns whether work on the stream becomes part of a graph.
pub(crate) fn is_captured(stream: &CudaStream) -> Result<bool, String> {
    let status = stream.capture_status();
    let status = status.map_err(|error| format!("does not say whether it is being captured: {error:?}"))?;
    Ok(status != CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE)
}

/// What the host passes for a parameter of a kernel.
///
/// | Parameter of the kernel | Argument |
/// |---|---|
/// | a scalar, a struct that derives `ptx::Plain` | the value |
/// | `Global<T>` | `&CudaSlice<T>` or `&CudaView<T>` |
/// | `GlobalMut`, `GlobalElementsMut`, `GlobalVectorsMut`, `GlobalAtomics`, `GlobalReduce` | `&mut CudaSlice<T>` or `&mut CudaViewMut<T>` |
/// | `GlobalMatrix`, `GlobalRowsMut`, `GlobalMatrixMut` | a [`Matrix`] of one of these |
/// | `TensorMap`, `TensorMapMut`, `TensorMapReduce` | a [`Tensor`] of one of these |
/// | `Prerequisite<P>` | what `P` takes |
/// | a raw pointer, in an `unsafe fn` | the address as a `u64` |
///
/// # Safety
///
/// `pass` adds the bytes of one parameter of the kind `P`, and they keep the contract of that parameter until the launch has ended.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed for this parameter of the kernel",
    label = "the parameter takes another argument: `{P}`",
    note = "the documentation of `ptx_host::Argument` lists what each parameter takes"
)]
pub unsafe trait Argument<'a, P, F: Function> {
    #[doc(hidden)]
    fn pass(self, list: &mut List<'_, 'a, F>) -> Result<(), Refusal>;
}

// SAFETY: passes bytes of this kind, of memory that `Memory` and `MemoryMut` keep.
unsafe impl<'a, T: Plain, F: Function> Argument<'a, kind::Value<T>, F> for T {
    fn pass(self, list: &mut List<'_, 'a, F>) -> Result<(), Refusal> {
        list.push::<T, T>(self);
        Ok(())
    }
}

// SAFETY: passes bytes of this kind, of memory that `Memory` and `MemoryMut` keep.
unsafe impl<'a, T, F: Function> Argument<'a, kind::Address<T>, F> for u64 {
    fn pass(self, list: &mut List<'_, 'a, F>) -> Result<(), Refusal> {
        list.push::<*const T, u64>(self);
        Ok(())
    }
}

impl<'a, F: Function> List<'_, 'a, F> {
    fn slice<T, M: Memory<'a, T, F>>(&mut self, memory: M, align: u64) -> Result<(), Refusal> {
        let (address, len) = self.lend(memory, align)?;
        self.push::<RawSlice<T>, _>(RawSlice { base: address as *mut T, len });
        Ok(())
    }

    fn matrix<T, M: Memory<'a, T, F>>(&mut self, matrix: Matrix<M>) -> Result<(), Refusal> {
        let Matrix { memory, rows, columns } = matrix;
        let (address, len) = self.lend(memory, 16)?;
        let elements = u64::from(rows) * u64::from(columns);
        if elements > len as u64 {
            return Err(self.refuse(format!(
                "is a matrix of {rows} rows of {columns} elements, but its memory has {len} elements"
            )));
        }
        let row = u64::from(columns) * size_of::<T>() as u64;
        if !row.is_multiple_of(16) {
            return Err(
                self.refuse(format!("has rows of {row} bytes, which is no multiple of 16: pad the rows"))
            );
        }
        self.push::<RawMatrix<T>, _>(RawMatrix { base: address as *mut T, rows, columns });
        Ok(())
    }
}

macro_rules! slices {
    ($( [$($generics:tt)*] $Kind:ty, $Memory:ident, $align:expr; )*) => { $(
        // SAFETY: passes bytes of this kind, of memory that `Memory` and `MemoryMut` keep.
        unsafe impl<'a, $($generics)* F: Function, M: $Memory<'a, T, F>> Argument<'a, $Kind, F> for M {
            fn pass(self, list: &mut List<'_, 'a, F>) -> Result<(), Refusal> {
                list.slice::<T, M>(self, $align)
            }
        }
    )* };
}
slices! {
    [T,] kind::Slice<T>, Memory, 16;
    [T, const ALIGN: usize,] kind::SliceMut<T, ALIGN>, MemoryMut, ALIGN as u64;
    [T, S,] kind::Atomics<T, S>, MemoryMut, size_of::<T>() as u64;
}

// SAFETY: passes bytes of this kind, of memory that `Memory` and `MemoryMut` keep.
unsafe impl<'a, T, F: Function, M: MemoryMut<'a, T, F>> Argument<'a, kind::SliceMut32<T>, F> for M {
    fn pass(self, list: &mut List<'_, 'a, F>) -> Result<(), Refusal> {
        let region = Memory::<T, F>::lend(self, list.queue()).map_err(|reason| list.refuse(reason))?;
        // The product does not wrap: the grid has fewer than 2^32 blocks, and a block 1024 threads at most.
        let threads = list.config.grid.count() * list.config.block.count();
        if region.len as u128 + threads >= 1 << 32 {
            return Err(list.refuse(format!(
                "has {} elements, which the kernel counts in 32 bits: with the {threads} threads of the grid they must be \
                 fewer than 2^32",
                region.len
            )));
        }
        list.arguments.guard(region.guard);
        list.push::<RawSlice<T>, _>(RawSlice { base: region.address as *mut T, len: region.len });
        Ok(())
    }
}

/// Memory of a matrix, row by row, as an argument: `memory` is what a slice of its elements takes.
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
}

// SAFETY: passes bytes of this kind, of memory that `Memory` and `MemoryMut` keep.
unsafe impl<'a, T, F: Function, M: Memory<'a, T, F>> Argument<'a, kind::Matrix<T>, F> for Matrix<M> {
    fn pass(self, list: &mut List<'_, 'a, F>) -> Result<(), Refusal> {
        list.matrix::<T, M>(self)
    }
}

// SAFETY: passes bytes of this kind, of memory that `Memory` and `MemoryMut` keep.
unsafe impl<'a, T, F: Function, M: MemoryMut<'a, T, F>> Argument<'a, kind::MatrixMut<T>, F> for Matrix<M> {
    fn pass(self, list: &mut List<'_, 'a, F>) -> Result<(), Refusal> {
        list.matrix::<T, M>(self)
    }
}

/// A tensor as an argument: the launch encodes its map. Rank, box and element type of the map are those of the kernel's
/// parameter.
///
/// ```no_run
/// # let stream = ptx_host::open(0)?.default_stream();
/// use ptx_host::{CUtensorMapSwizzle, Tensor};
/// let x = stream.alloc_zeros::<f32>(480 * 640)?;
/// // 480 rows of 640 elements, for a `TensorMap<f32, Box2<32, 32>>` whose kernel swizzles by 128 bytes.
/// let tensor = Tensor::new(&x, [640, 480]).swizzle(CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_128B);
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

    /// Sets the swizzle, whose span is a row of the box. The default is none.
    pub fn swizzle(self, swizzle: CUtensorMapSwizzle) -> Self {
        Self { map: self.map.swizzle(swizzle), ..self }
    }

    /// Sets the granularity of fetches into the L2 cache. The default is no promotion.
    pub fn l2_promotion(self, promotion: CUtensorMapL2promotion) -> Self {
        Self { map: self.map.l2_promotion(promotion), ..self }
    }

    /// Sets the value of elements outside the tensor. The default is zero.
    pub fn oob_fill(self, fill: CUtensorMapFloatOOBfill) -> Self {
        Self { map: self.map.oob_fill(fill), ..self }
    }

    /// As [`encode`](Self::encode), for a tensor that the grid writes.
    fn encode_written<'a, T, S, F>(self, list: &mut List<'_, 'a, F>) -> Result<TensorMap, Refusal>
    where
        T: TensorElement,
        S: TiledShape,
        F: Function,
        M: MemoryMut<'a, T, F>,
    {
        let builder = self.map.clone();
        let (map, len) = self.encode::<T, S, F>(list)?;
        builder.check_written(size_of::<T>() as u64, len).map_err(|reason| list.refuse(reason))?;
        Ok(map)
    }

    /// Encodes the map for copies of the shape `S`, and returns the elements of the memory.
    fn encode<'a, T, S, F>(self, list: &mut List<'_, 'a, F>) -> Result<(TensorMap, usize), Refusal>
    where
        T: TensorElement,
        S: TiledShape,
        F: Function,
        M: Memory<'a, T, F>,
    {
        let row = S::BOX[0] as usize * size_of::<T>();
        self.map.check_swizzle(row).map_err(|reason| list.refuse(reason))?;
        let (address, len) = list.lend(self.memory, 16)?;
        let map = F::tensor_map::<T>(list.queue(), &self.map.boxes(S::BOX), address, len)
            .map_err(Refusal::Error)?;
        Ok((map, len))
    }
}

// SAFETY: passes bytes of this kind, of memory that `Memory` and `MemoryMut` keep.
unsafe impl<'a, T, S, F, M, const RANK: usize> Argument<'a, kind::Tensor<T, S>, F> for Tensor<M, RANK>
where
    T: TensorElement,
    S: BoxShape<Index = [u32; RANK]> + TiledShape,
    F: Function,
    M: Memory<'a, T, F>,
{
    fn pass(self, list: &mut List<'_, 'a, F>) -> Result<(), Refusal> {
        let (map, _) = self.encode::<T, S, F>(list)?;
        list.push::<TensorMapObject, _>(map);
        Ok(())
    }
}

// SAFETY: passes bytes of this kind, of memory that `Memory` and `MemoryMut` keep.
unsafe impl<'a, T, S, F, M, const RANK: usize> Argument<'a, kind::TensorReduce<T, S>, F> for Tensor<M, RANK>
where
    T: TensorElement,
    S: BoxShape<Index = [u32; RANK]> + TiledShape,
    F: Function,
    M: MemoryMut<'a, T, F>,
{
    fn pass(self, list: &mut List<'_, 'a, F>) -> Result<(), Refusal> {
        let map = self.encode_written::<T, S, F>(list)?;
        list.push::<TensorMapObject, _>(map);
        Ok(())
    }
}

/// The bytes of a `TensorMapMut`.
#[repr(C)]
struct RawTensorMut<const RANK: usize> {
    map: TensorMap,
    boxes: [u32; RANK],
}

// SAFETY: passes bytes of this kind, of memory that `Memory` and `MemoryMut` keep.
unsafe impl<'a, T, S, F, M, const RANK: usize> Argument<'a, kind::TensorMut<T, S>, F> for Tensor<M, RANK>
where
    T: TensorElement,
    S: BoxShape<Index = [u32; RANK]> + TiledShape,
    F: Function,
    M: MemoryMut<'a, T, F>,
{
    fn pass(self, list: &mut List<'_, 'a, F>) -> Result<(), Refusal> {
        let dims = self.dims;
        let map = self.encode_written::<T, S, F>(list)?;
        // The map's check bounds the dimensions, and the shape its box.
        let boxes: [u32; RANK] = std::array::from_fn(|i| dims[i].div_ceil(u64::from(S::BOX[i])) as u32);
        let count: u128 = boxes.into_iter().map(u128::from).product();
        if count > 1 << 31 {
            return Err(list.refuse(format!(
                "has {count} boxes, but a kernel numbers 2^31 at most: choose larger boxes"
            )));
        }
        list.push::<DeviceTensorMut<S::Index>, _>(RawTensorMut { map, boxes });
        Ok(())
    }
}

/// The arguments of a launch: a tuple of an [`Argument`] for each parameter.
///
/// # Safety
///
/// `pass` adds the bytes of all parameters, in their order.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed to this kernel",
    label = "the parameters of the kernel are `{P}`",
    note = "`Global<T>` takes `&x`, a handle that writes takes `&mut y`, for `x` and `y` of `CudaSlice<T>`; a matrix takes \
            `Matrix::new(&x, rows, columns)`, a tensor `Tensor::new(&x, [width, height])`",
    note = "pass a tuple with one argument for each parameter: `(2.0, &x, &mut y)`, and `()` for none; see `ptx_host::Argument`"
)]
pub unsafe trait KernelArguments<'a, P, F: Function> {
    #[doc(hidden)]
    const EARLY: bool;
    #[doc(hidden)]
    const PREREQUISITE: bool;
    #[doc(hidden)]
    fn pass(self, list: &mut List<'_, 'a, F>) -> Result<(), Refusal>;
}

macro_rules! tuples {
    ($( ($($A:ident $P:ident),*) )*) => { $(
        #[diagnostic::do_not_recommend]
        // SAFETY: passes an argument for each parameter, in order.
        unsafe impl<'a, F: Function, $($P: Parameter, $A: Argument<'a, $P::Kind, F>),*> KernelArguments<'a, ($($P,)*), F>
            for ($($A,)*)
        {
            const EARLY: bool = false $(|| $P::EARLY)*;
            const PREREQUISITE: bool = false $(|| $P::PREREQUISITE)*;

            #[allow(non_snake_case, unused_variables)]
            fn pass(self, list: &mut List<'_, 'a, F>) -> Result<(), Refusal> {
                let ($($A,)*) = self;
                $( $A.pass(list)?; )*
                Ok(())
            }
        }
    )* };
}
tuples! {
    () (A P) (A P, B Q) (A P, B Q, C R) (A P, B Q, C R, D S) (A P, B Q, C R, D S, E T) (A P, B Q, C R, D S, E T, G U)
    (A P, B Q, C R, D S, E T, G U, H V) (A P, B Q, C R, D S, E T, G U, H V, I W) (A P, B Q, C R, D S, E T, G U, H V, I W, J X)
    (A P, B Q, C R, D S, E T, G U, H V, I W, J X, K Y) (A P, B Q, C R, D S, E T, G U, H V, I W, J X, K Y, L Z)
}
