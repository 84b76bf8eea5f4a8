//! Typed launches: what `#[ptx::kernel]` says of a kernel, the host checks before the launch.

use std::fmt;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::{CudaContext, CudaStream};
use ptx::launch::{Kernel as Description, LaunchShape, SafeKernel};

use crate::argument::{KernelArguments, List, Refusal};
use crate::arguments::Arguments;
use crate::context::settle;
use crate::error::check;
use crate::{
    Dim3, Error, Image, JitOptions, Kernel, LaunchConfig, LaunchProblem, Module, Result, TensorElement,
    TensorMap, TensorMapBuilder,
};

/// The kernels of a device crate, compiled for one or more targets. [`kernels!`](crate::kernels) gives those that `ptx-build` has
/// compiled.
#[derive(Debug, Clone, Copy)]
pub struct Kernels<'a> {
    name: &'a str,
    images: &'a [(&'a str, &'a [u8])],
}

impl<'a> Kernels<'a> {
    /// Makes the set of a device crate's images, each with its target, for typed launches.
    ///
    /// # Safety
    ///
    /// The images are the PTX or cubins that `ptx-link` made of a device crate, unchanged.
    #[must_use]
    pub const unsafe fn new(name: &'a str, images: &'a [(&'a str, &'a [u8])]) -> Self {
        Self { name, images }
    }

    /// Loads the image that suits the device of `context`.
    ///
    /// # Errors
    ///
    /// As [`Module::from_images`].
    pub fn load(&self, context: &Arc<CudaContext>) -> Result<LoadedKernels> {
        let images: Vec<_> = self.images.iter().map(|&(target, bytes)| Image { target, bytes }).collect();
        let module = Module::from_images(context, self.name, &images, &JitOptions::default())?;
        Ok(LoadedKernels { module, order: Order::of(context)? })
    }
}

/// The loaded kernels of a device crate.
#[derive(Debug, Clone)]
pub struct LoadedKernels {
    module: Module,
    order: Arc<Order>,
}

/// Makes `cudarc` record events for as long as typed launches may be in flight: it does so while the context has a stream of
/// `new_stream`.
#[derive(Debug)]
pub(crate) struct Order(ManuallyDrop<Arc<CudaStream>>);

impl Order {
    fn of(context: &Arc<CudaContext>) -> Result<Arc<Self>> {
        let doing = || "ordering the streams of the context".into();
        let stream = check(context.new_stream(), doing)?;
        // Work from before has no events.
        check(context.synchronize(), doing)?;
        Ok(Arc::new(Self(ManuallyDrop::new(stream))))
    }
}

impl Drop for Order {
    fn drop(&mut self) {
        // Without events, nothing would wait for work that is still in flight: if that hangs, the stream stays.
        if settle(self.0.context()) {
            // SAFETY: taken once, here.
            drop(unsafe { ManuallyDrop::take(&mut self.0) });
        }
    }
}

/// Held while a launch lends memory and is queued: two threads that lend one slice would lose the event of one.
static LAUNCH: Mutex<()> = Mutex::new(());

impl LoadedKernels {
    /// Returns the launcher of a kernel: `kernel` is the name of a function with `#[ptx::kernel]`.
    ///
    /// # Errors
    ///
    /// [`Error::Fingerprint`] if the images have no such kernel, or one of another source; [`Error::Cuda`] if the driver fails.
    pub fn kernel<K: Description>(&self, kernel: K) -> Result<Launcher<K>> {
        let _ = kernel;
        if self.module.word(K::FINGERPRINT)? != Some(K::LAYOUT) {
            return Err(Error::Fingerprint { kernel: K::NAME.into(), module: self.module.name().into() });
        }
        let mut function = self.module.kernel_by_name(K::NAME)?;
        function.order = Some(self.order.clone());
        // SAFETY: the module is a device crate's (`Kernels::new`); name and value of its fingerprint are those of the description.
        Ok(unsafe { Launcher::new(function) })
    }
}

impl Deref for LoadedKernels {
    type Target = Module;

    fn deref(&self) -> &Module {
        &self.module
    }
}

/// A loaded kernel of a backend: [`Kernel`] is that of CUDA. An emulator implements this trait for its own.
///
/// # Safety
///
/// `launch` runs the kernel with these arguments in this shape, or returns an error. Memory of the arguments stays valid until the
/// kernel has ended, and is used by other launches, copies and the host only before or after the kernel, as their borrows say.
pub unsafe trait Function: Sized {
    /// Where the kernel is put: a stream.
    type Queue: ?Sized;
    /// What keeps memory in use until the launch is queued.
    type Guard<'a>;

    /// Encodes the map of the tensor at `address`, which has `len` elements of memory.
    ///
    /// # Errors
    ///
    /// [`Error::TensorMap`] if a parameter of the map is out of range.
    fn tensor_map<T: TensorElement>(
        queue: &Self::Queue,
        map: &TensorMapBuilder,
        address: u64,
        len: usize,
    ) -> Result<TensorMap>;

    /// Puts the kernel on the queue.
    ///
    /// # Errors
    ///
    /// If the device or the kernel does not allow the launch.
    ///
    /// # Safety
    ///
    /// The kernel may be called with these arguments in this shape.
    unsafe fn launch(&self, config: &LaunchConfig, arguments: Arguments<'_, Self>) -> Result<()>;

    /// Returns the kernel's name, for messages.
    fn label(&self) -> &str;
}

/// A kernel that the host launches by its types.
///
/// ```no_run
/// mod kernels {
///     use ptx::global::{Global, GlobalElementsMut};
///     use ptx::launch::Cta;
///
///     /// y ← a·x.
///     #[ptx::kernel(unsafe(uniform), threads = 256)]
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
pub struct Launcher<K, F = Kernel> {
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

    /// Returns the loaded kernel: its attributes and its occupancy.
    #[must_use]
    pub fn function(&self) -> &F {
        &self.function
    }

    /// Puts the kernel on `queue`, a stream, after the work that is on it. `arguments` is a tuple, with one argument for each
    /// parameter that the host passes: see [`Argument`](crate::Argument). `grid` is the number of thread blocks, or a [`Grid`].
    /// Block, cluster and dynamic shared memory are the kernel's own.
    ///
    /// The call does not wait for the kernel. The memory stays in use after the borrows of the call have ended, and later uses wait
    /// for the kernel: the stream that the memory was allocated on waits for it, and `cudarc` records the use as an event. So
    /// launches that use one slice on several streams follow one another, and a context whose event tracking is off is refused.
    ///
    /// # Errors
    ///
    /// [`Error::Launch`] names the argument, or the rule of the shape, that is broken; nothing was launched.
    /// [`Error::TensorMap`] if a tensor cannot be mapped; [`Error::Cuda`] if the driver refuses the launch.
    pub fn launch<'a, A>(&self, queue: &'a F::Queue, grid: impl Into<Grid>, arguments: A) -> Result<()>
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
    ) -> Result<()>
    where
        A: KernelArguments<'a, K::Parameters, F>,
    {
        let refused = |problem| Error::Launch { kernel: self.function.label().into(), problem };
        let config = config::<K>(grid.into());
        check_grid::<K>(&config).map_err(refused)?;
        check_programmatic(&config, A::EARLY, A::PREREQUISITE).map_err(refused)?;
        let _launch = LAUNCH.lock().unwrap_or_else(PoisonError::into_inner);
        let mut list = Arguments::new(queue);
        arguments.pass(&mut List::new(&mut list, K::PARAMETERS, &config)).map_err(|error| match error {
            Refusal::Problem(problem) => refused(problem),
            Refusal::Error(error) => error,
        })?;
        // SAFETY: the shape is the kernel's; the arguments have its types, and the caller keeps its `# Safety`.
        unsafe { self.function.launch(&config, list) }
    }
}

impl<K: Description, F> fmt::Debug for Launcher<K, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Launcher({})", K::NAME)
    }
}

/// The thread blocks of a typed launch, and what a kernel leaves to its launch. An integer or a tuple of 2 or 3 converts.
#[derive(Debug, Clone, Copy)]
pub struct Grid(LaunchConfig);

impl Grid {
    /// Makes a grid of thread blocks. A grid of clusters still counts thread blocks.
    #[must_use]
    pub fn new(extents: impl Into<Dim3>) -> Self {
        Self(LaunchConfig::new(extents, 1))
    }

    /// Sets the thread blocks per cluster, for a kernel that states no cluster.
    #[must_use]
    pub fn cluster(self, cluster: impl Into<Dim3>) -> Self {
        Self(self.0.cluster(cluster))
    }

    /// Adds dynamic shared memory in bytes, for a kernel that takes a `DynamicShared`.
    #[must_use]
    pub fn dynamic_shared(self, bytes: u32) -> Self {
        Self(self.0.dynamic_shared(bytes))
    }

    /// Makes the launch cooperative: all blocks run at the same time.
    #[must_use]
    pub fn cooperative(self) -> Self {
        Self(self.0.cooperative())
    }

    /// Lets the kernel start before the kernel before it has ended: a programmatic dependent launch. All memory of the kernel is
    /// in `Prerequisite`s.
    #[must_use]
    pub fn programmatic(self) -> Self {
        Self(self.0.programmatic())
    }
}

impl<D: Into<Dim3>> From<D> for Grid {
    fn from(extents: D) -> Self {
        Self::new(extents)
    }
}

fn extents([x, y, z]: [u32; 3]) -> Dim3 {
    Dim3 { x, y, z }
}

/// The shape of a launch of `K`.
fn config<K: Description>(Grid(config): Grid) -> LaunchConfig {
    LaunchConfig {
        block: extents(K::Shape::BLOCK),
        cluster: config.cluster.or(K::Shape::CLUSTER.map(extents)),
        dynamic_shared_bytes: config.dynamic_shared_bytes.saturating_add(K::DYNAMIC_SHARED),
        ..config
    }
}

/// Checks what the compiler has assumed of the grid.
fn check_grid<K: Description>(config: &LaunchConfig) -> Result<(), LaunchProblem> {
    let Dim3 { y, z, .. } = K::Shape::CLUSTER.map_or(Dim3::from(1), extents);
    if !K::Shape::GRID_OF_ANY_RANK && (config.grid.y, config.grid.z) != (y, z) {
        return Err(LaunchProblem::GridRank(config.grid, (y, z).into()));
    }
    if config.grid.count() >= 1 << 32 { Err(LaunchProblem::GridCount(config.grid)) } else { Ok(()) }
}

fn check_programmatic(config: &LaunchConfig, early: bool, prerequisite: bool) -> Result<(), LaunchProblem> {
    let allowed = !config.programmatic || (!early && prerequisite);
    if allowed { Ok(()) } else { Err(LaunchProblem::Programmatic) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A kernel of this shape. It is not on the device.
    struct Of<const ANY: bool>;
    enum Shape<const ANY: bool> {}
    impl<const ANY: bool> LaunchShape for Shape<ANY> {
        const BLOCK: [u32; 3] = [64, 2, 1];
        const CLUSTER: Option<[u32; 3]> = Some([2, 2, 1]);
        const GRID_OF_ANY_RANK: bool = ANY;
    }
    // SAFETY: it is never launched.
    unsafe impl<const ANY: bool> Description for Of<ANY> {
        const NAME: &'static str = "of";
        const FINGERPRINT: &'static str = "of__0";
        const LAYOUT: u64 = 0;
        const PARAMETERS: &'static [&'static str] = &[];
        const DYNAMIC_SHARED: u32 = 1000;
        type Shape = Shape<ANY>;
        type Parameters = ();
    }

    #[test]
    fn block_cluster_and_shared_memory_are_the_kernels() {
        let config = config::<Of<true>>(Grid::from((4, 2)).dynamic_shared(24).cooperative());
        assert_eq!((config.block, config.cluster), ((64, 2).into(), Some((2, 2).into())));
        assert_eq!((config.grid, config.dynamic_shared_bytes), ((4, 2).into(), 1024));
        assert!(config.cooperative && !config.programmatic);
        // A cluster that differs from the kernel's reaches the check of the launch, which refuses it.
        let other = super::config::<Of<true>>(Grid::new(4).cluster(4));
        assert_eq!(other.cluster, Some(4.into()));
    }

    #[test]
    fn a_grid_has_the_rank_that_the_kernel_assumes() {
        let check = |grid: (u32, u32)| check_grid::<Of<false>>(&config::<Of<false>>(grid.into()));
        assert_eq!(check((4, 2)), Ok(()));
        let refused = check((4, 4)).unwrap_err().to_string();
        assert!(
            refused
                .contains("a grid of (4, 4, 1), but the kernel was built for grids of (2, 1, 1) in y and z"),
            "{refused}"
        );
        assert_eq!(check_grid::<Of<true>>(&config::<Of<true>>((4, 4).into())), Ok(()));
        let huge = config::<Of<true>>((1 << 31, 2).into());
        assert!(check_grid::<Of<true>>(&huge).unwrap_err().to_string().contains("2^32 blocks or more"));
    }

    #[test]
    fn a_programmatic_launch_needs_prerequisites_alone() {
        let config = config::<Of<true>>(Grid::new(4).programmatic());
        assert_eq!(check_programmatic(&config, false, true), Ok(()));
        for (early, prerequisite) in [(true, true), (true, false), (false, false)] {
            let refused = check_programmatic(&config, early, prerequisite).unwrap_err().to_string();
            assert!(refused.contains("`Prerequisite`"), "{refused}");
        }
        assert_eq!(check_programmatic(&LaunchConfig { programmatic: false, ..config }, true, false), Ok(()));
    }
}
