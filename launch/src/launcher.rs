//! Typed launches: the host checks before the launch what `#[ptx::kernel]` states about a kernel.

use std::fmt;
use std::marker::PhantomData;

use ptx::launch::{Kernel as Description, LaunchShape, SafeKernel};

use crate::{
    Arguments, Dim3, KernelArguments, LaunchConfig, LaunchProblem, NoPadding, TensorMapParameters,
    TensorMapProblem,
};

/// A loaded kernel of a backend, such as `ptx_host::Kernel` for CUDA. An emulator implements this trait for its own kernels.
///
/// # Safety
///
/// `launch` runs the kernel with these arguments in this shape, or returns an error. Memory of the arguments stays valid until
/// the kernel has ended, and is used by other launches, copies and the host only before or after the kernel, as their borrows
/// say.
pub unsafe trait Function: Sized {
    /// The queue that a kernel is put on, such as a stream.
    type Queue: ?Sized;
    /// A guard that keeps memory in use until the launch is queued.
    type Guard<'a>;
    /// A lock that a typed launch holds from before the first borrow of memory until the launch is queued. A backend that does
    /// not need the launches of all threads to follow one another uses `()`.
    type Lock;
    /// The 128 bytes of a tensor map, aligned to 64.
    type TensorMap: NoPadding;
    /// The reason why a launch failed.
    type Error: From<TensorMapProblem>;

    /// Returns the lock that a typed launch holds.
    fn lock() -> Self::Lock;

    /// Encodes a tensor map.
    ///
    /// # Errors
    ///
    /// If the device has no such map.
    ///
    /// # Safety
    ///
    /// [`TensorMapBuilder::check`](crate::TensorMapBuilder::check) has returned the parameters, and nothing has changed them.
    unsafe fn tensor_map(
        queue: &Self::Queue,
        map: &TensorMapParameters<'_>,
    ) -> Result<Self::TensorMap, Self::Error>;

    /// Puts the kernel on the queue.
    ///
    /// # Errors
    ///
    /// If the device or the kernel does not allow the launch.
    ///
    /// # Safety
    ///
    /// The kernel may be called with these arguments in this shape.
    unsafe fn launch(
        &self,
        config: &LaunchConfig,
        arguments: Arguments<'_, '_, Self>,
    ) -> Result<(), Self::Error>;

    /// Makes the error of a launch that was refused. The error names the kernel.
    fn refuse(&self, problem: LaunchProblem) -> Self::Error;
}

/// A kernel that the host launches by its types.
///
/// ```no_run
/// mod kernels {
///     use ptx::global::{Global, GlobalElementsMut};
///     use ptx::group::Cta;
///
///     /// y ← a·x.
///     #[ptx::kernel(threads = 256)]
///     pub fn scale(cta: Cta, a: f32, x: Global<f32>, y: GlobalElementsMut<f32>) { /* … */ }
/// }
///
/// # fn run(images: ptx_host::Kernels) -> Result<(), Box<dyn std::error::Error>> {
/// let context = ptx_host::open(0)?;
/// let stream = context.default_stream();
/// // In a program: `ptx_host::kernels!().load(&context)?`.
/// let scale = images.load(&context)?.kernel(kernels::scale)?;
///
/// let x = stream.clone_htod(&[1.0f32; 1000])?;
/// let mut y = stream.alloc_zeros::<f32>(1000)?;
/// scale.launch(&stream, 4, (2.0, &x, &mut y))?;
/// assert_eq!(stream.clone_dtoh(&y)?, [2.0; 1000]);
/// # Ok(())
/// # }
/// ```
///
/// A launch does not compile with memory of other elements, or with memory that the kernel writes as a shared reference:
///
/// ```compile_fail,E0277
/// # use ptx_host::cudarc::driver::{CudaSlice, CudaStream};
/// # fn f(axpy: ptx_host::Launcher<launch::axpy>, stream: &CudaStream, x: CudaSlice<f64>, mut y: CudaSlice<f32>) {
/// axpy.launch(stream, 4, (2.0, &x, &mut y)); // `x` has elements of `f64`
/// # }
/// ```
///
/// ```compile_fail,E0277
/// # use ptx_host::cudarc::driver::{CudaSlice, CudaStream};
/// # fn f(axpy: ptx_host::Launcher<launch::axpy>, stream: &CudaStream, x: CudaSlice<f32>, y: CudaSlice<f32>) {
/// axpy.launch(stream, 4, (2.0, &x, &y)); // the kernel writes `y`
/// # }
/// ```
pub struct Launcher<K, F> {
    function: F,
    kernel: PhantomData<fn() -> K>,
}

impl<K: Description, F: Function> Launcher<K, F> {
    /// Makes the launcher of a loaded kernel.
    ///
    /// # Safety
    ///
    /// `function` is the kernel that `K` describes.
    pub const unsafe fn new(function: F) -> Self {
        Self { function, kernel: PhantomData }
    }

    /// Returns the loaded kernel, which has the attributes and the occupancy.
    #[must_use]
    pub fn function(&self) -> &F {
        &self.function
    }

    /// Puts the kernel on `queue`, a stream, after the work that is on `queue`. `arguments` is a tuple, with one argument for
    /// each parameter that the host passes: see [`Argument`](crate::Argument). `grid` is the number of thread blocks, or a
    /// [`Grid`]. Block, cluster and dynamic shared memory are the kernel's own, as far as it states them.
    ///
    /// The call does not wait for the kernel. The memory stays in use after the borrows of the call have ended, and later uses
    /// wait for the kernel. With CUDA, the stream that the memory was allocated on waits for the kernel, and `cudarc` records the
    /// use as an event. Launches that use one slice on several streams therefore follow one another, and a context without event
    /// tracking is refused.
    ///
    /// # Errors
    ///
    /// A [`LaunchProblem`] names the argument and the rule that it breaks, or the rule of the shape (`ptx_host::Error::Launch`);
    /// nothing was launched. If the backend refuses the launch, the error is its own (`ptx_host::Error::Stream`, `ptx_host::Error::Cuda`).
    pub fn launch<'a, A>(
        &self,
        queue: &'a F::Queue,
        grid: impl Into<Grid>,
        arguments: A,
    ) -> Result<(), F::Error>
    where
        K: SafeKernel,
        A: KernelArguments<'a, K::Parameters, F>,
    {
        // SAFETY: the kernel is safe, and each argument keeps the contract of its parameter (`Argument`).
        unsafe { self.launch_unsafe(queue, grid, arguments) }
    }

    /// Puts a kernel that is an `unsafe fn` on `queue`, as [`launch`](Launcher::launch) does.
    ///
    /// # Errors
    ///
    /// As [`launch`](Launcher::launch).
    ///
    /// # Safety
    ///
    /// The `# Safety` section of the kernel holds.
    pub unsafe fn launch_unsafe<'a, A>(
        &self,
        queue: &'a F::Queue,
        grid: impl Into<Grid>,
        arguments: A,
    ) -> Result<(), F::Error>
    where
        A: KernelArguments<'a, K::Parameters, F>,
    {
        self.with_arguments(queue, grid, arguments, |config, arguments| {
            // SAFETY: the shape is the kernel's; the arguments have its types (`KernelArguments`), and the
            // caller keeps its `# Safety`.
            unsafe { self.function.launch(config, arguments) }
        })
    }

    /// Makes the shape and the arguments of a launch, checks both as [`launch`](Launcher::launch) does, and passes them to `launch`
    /// in place of a launch: for a backend that launches the kernel several times on the same memory, as a benchmark does. The
    /// memory is in use until the arguments are dropped, and no other typed launch begins before `launch` returns.
    ///
    /// # Errors
    ///
    /// Those of the checks, and that of `launch`.
    pub fn with_arguments<'a, A, R>(
        &self,
        queue: &'a F::Queue,
        grid: impl Into<Grid>,
        arguments: A,
        launch: impl FnOnce(&LaunchConfig, Arguments<'_, 'a, F>) -> Result<R, F::Error>,
    ) -> Result<R, F::Error>
    where
        A: KernelArguments<'a, K::Parameters, F>,
    {
        let config = grid.into().config::<K>();
        check_shape::<K>(&config).map_err(|problem| self.function.refuse(problem))?;
        let _lock = F::lock();
        let arguments = Arguments::new(&self.function, queue, &config, K::PARAMETERS, arguments)?;
        arguments.check_lengths(K::LENGTHS)?;
        launch(&config, arguments)
    }
}

impl<K: Description, F> fmt::Debug for Launcher<K, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Launcher({})", K::NAME)
    }
}

/// The thread blocks of a typed launch, and the settings that a kernel leaves to its launch. An integer or a tuple of 2 or 3
/// converts.
#[derive(Debug, Clone, Copy)]
pub struct Grid {
    /// The block counts if `has_block`.
    config: LaunchConfig,
    has_block: bool,
}

impl Grid {
    /// Makes a grid of thread blocks. A grid of clusters still counts thread blocks.
    #[must_use]
    pub fn new(extents: impl Into<Dim3>) -> Self {
        Self { config: LaunchConfig::new(extents, 1), has_block: false }
    }

    /// Sets the threads of a block, for a kernel that states `max_threads`. Without this call, a block has the most threads.
    #[must_use]
    pub fn block(self, threads: impl Into<Dim3>) -> Self {
        Self { config: LaunchConfig { block: threads.into(), ..self.config }, has_block: true }
    }

    /// Sets the thread blocks per cluster, for a kernel that states no cluster.
    #[must_use]
    pub fn cluster(self, cluster: impl Into<Dim3>) -> Self {
        Self { config: self.config.cluster(cluster), ..self }
    }

    /// Adds dynamic shared memory in bytes, for a kernel that takes a `DynamicShared`.
    #[must_use]
    pub fn dynamic_shared(self, bytes: u32) -> Self {
        Self { config: self.config.dynamic_shared(bytes), ..self }
    }

    /// Makes the launch cooperative: all blocks run at the same time.
    #[must_use]
    pub fn cooperative(self) -> Self {
        Self { config: self.config.cooperative(), ..self }
    }

    /// Lets the kernel start before the preceding kernel has ended: a programmatic dependent launch. All memory of the kernel
    /// must be in `Prerequisite`s.
    #[must_use]
    pub fn programmatic(self) -> Self {
        Self { config: self.config.programmatic(), ..self }
    }
}

impl Grid {
    /// Returns the whole shape of a launch of `K`.
    #[must_use]
    pub fn config<K: Description>(self) -> LaunchConfig {
        let Self { config, has_block } = self;
        LaunchConfig {
            block: if has_block { config.block } else { K::Shape::BLOCK.into() },
            cluster: config.cluster.or(K::Shape::CLUSTER.map(Dim3::from)),
            dynamic_shared_bytes: config.dynamic_shared_bytes.saturating_add(K::DYNAMIC_SHARED),
            ..config
        }
    }
}

impl<D: Into<Dim3>> From<D> for Grid {
    fn from(extents: D) -> Self {
        Self::new(extents)
    }
}

/// Checks that the block and the grid are as the compiler has assumed.
fn check_shape<K: Description>(config: &LaunchConfig) -> Result<(), LaunchProblem> {
    let (block, stated) = (config.block, Dim3::from(K::Shape::BLOCK));
    if !K::Shape::SMALLER_BLOCKS && block != stated {
        return Err(LaunchProblem::Block(block, stated));
    }
    if !block.all(stated, |extent, most| extent <= most) {
        return Err(LaunchProblem::LargeBlock(block, stated));
    }
    let Dim3 { y, z, .. } = K::Shape::CLUSTER.map_or(Dim3::from(1), Dim3::from);
    if !K::Shape::GRID_OF_ANY_RANK && (config.grid.y, config.grid.z) != (y, z) {
        return Err(LaunchProblem::GridRank(config.grid, (y, z).into()));
    }
    if config.grid.count() >= 1 << 32 { Err(LaunchProblem::GridCount(config.grid)) } else { Ok(()) }
}
