//! What runs a check of kernels: a GPU by its driver, or the interpreter without one.

mod cuda;
mod interpreter;

pub use interpreter::Interpreter;

use std::fmt::Display;

use anyhow::Result;
use ptx::launch::{Kernel as Description, Plain, SafeKernel};
use ptx_host::{
    ByName, Function, Grid, KernelArguments, LaunchConfig, Launcher, Memory, MemoryMut, TensorElement,
    TensorMapBuilder,
};
use serde_json::Value;

use crate::gpu::Gpu;
use crate::image::Image;
use crate::options::Options;

/// A number in the memory of any device. Its bytes may have any value.
pub trait Element: Plain + ptx::shared::Element {}

impl<T: Plain + ptx::shared::Element> Element for T {}

/// A device that runs checks.
pub trait Device: Sized + 'static {
    /// A kernel of the device.
    type Function: Function;
    /// A loaded image.
    type Loaded;
    /// Memory that lies apart from all other memory: an access beside it fails the check.
    type Memory<T: Element>;
    /// Memory that a kernel reads.
    type Read<'a, T: Element>: Memory<'a, Self::Function, T>;
    /// Memory that a kernel writes.
    type Write<'a, T: Element>: MemoryMut<'a, Self::Function, T>;

    /// Opens the device that the options choose.
    fn open(options: &Options) -> Result<Self>;

    /// Returns the name of the device with its properties, and the properties for the JSON report.
    fn describe(&self) -> Result<(String, Value)>;

    /// Returns the number of multiprocessors.
    fn multiprocessors(&self) -> Result<u32>;

    /// Runs the check of kernels on a queue that typed launches take.
    fn on_queue<R>(&self, check: impl FnOnce(&Self) -> Result<R>) -> Result<R>;

    /// Loads an image that `./x` has made.
    fn load(&self, image: &Image) -> Result<Self::Loaded>;

    /// Returns whether the image is a twin, which takes addresses and lengths.
    fn is_twin(loaded: &Self::Loaded) -> bool;

    /// Allocates memory with these elements.
    fn memory<T: Element>(&self, elements: &[T]) -> Result<Self::Memory<T>>;

    /// Returns the elements after the launches, or the error of a launch.
    fn to_vec<T: Element>(&self, memory: &Self::Memory<T>) -> Result<Vec<T>>;

    /// Lends memory to a kernel that reads it.
    fn read<T: Element>(memory: &Self::Memory<T>) -> Self::Read<'_, T>;

    /// Lends memory to a kernel that writes it.
    fn write<T: Element>(memory: &mut Self::Memory<T>) -> Self::Write<'_, T>;

    /// Returns the address of the first element.
    fn address<T: Element>(memory: &Self::Memory<T>) -> u64;

    /// Encodes a map of a tensor at an address in memory, as the words of its 128 bytes.
    fn map<T: Element + TensorElement>(
        &self,
        map: &TensorMapBuilder,
        memory: &Self::Memory<T>,
    ) -> Result<[u64; 16]>;

    /// Finds a kernel by its types.
    fn kernel<K: Description>(loaded: &Self::Loaded, kernel: K) -> Result<Launcher<K, Self::Function>>;

    /// Finds a kernel by its name.
    fn function(loaded: &Self::Loaded, name: &str) -> Result<Self::Function>;

    /// Finds a kernel, or the twin of its name.
    fn entry<K: Description>(loaded: &Self::Loaded, kernel: K) -> Result<Entry<K, Self>> {
        Ok(match Self::is_twin(loaded) {
            true => Entry::Twin(Self::function(loaded, K::NAME)?),
            false => Entry::Kernel(Self::kernel(loaded, kernel)?),
        })
    }

    /// Returns the queue of typed launches.
    fn queue(&self) -> &<Self::Function as Function>::Queue;

    /// Ends a launch, and returns its error.
    fn end(&self, launched: Result<(), <Self::Function as Function>::Error>) -> Result<()>;

    /// Launches a safe kernel.
    fn launch<'a, K, A>(
        &'a self,
        kernel: &Launcher<K, Self::Function>,
        grid: impl Into<Grid>,
        arguments: A,
    ) -> Result<()>
    where
        K: SafeKernel,
        A: KernelArguments<'a, K::Parameters, Self::Function>,
    {
        self.end(kernel.launch(self.queue(), grid, arguments))
    }

    /// Launches a kernel without types.
    ///
    /// # Safety
    ///
    /// That of [`ptx_host::Kernel::launch`].
    unsafe fn launch_by_name<'a, T>(
        &'a self,
        function: &Self::Function,
        config: &LaunchConfig,
        arguments: T,
    ) -> Result<()>
    where
        T: KernelArguments<'a, ByName, Self::Function>;

    /// Returns the result of launches, and what their kernels have printed.
    fn printed(&self, launches: impl FnOnce() -> Result<()>) -> Result<(Result<()>, String)>;
}

/// A kernel, or its twin.
pub enum Entry<K, D: Device = Gpu> {
    Kernel(Launcher<K, D::Function>),
    Twin(D::Function),
}

impl<K: Description, D: Device> Entry<K, D> {
    /// Launches the kernel with `arguments`, or the twin with `of_twin` in the same shape.
    ///
    /// # Safety
    ///
    /// The twin keeps to its arguments. If the kernel is an `unsafe fn`, its `# Safety` section holds.
    pub unsafe fn launch<'a, A, T>(
        &self,
        device: &'a D,
        grid: impl Into<Grid>,
        arguments: A,
        of_twin: T,
    ) -> Result<()>
    where
        A: KernelArguments<'a, K::Parameters, D::Function>,
        T: KernelArguments<'a, ByName, D::Function>,
    {
        let grid = grid.into();
        // SAFETY: `# Safety` of this function.
        unsafe {
            match self {
                Self::Kernel(kernel) => device.end(kernel.launch_unsafe(device.queue(), grid, arguments)),
                Self::Twin(twin) => device.launch_by_name(twin, &grid.config::<K>(), of_twin),
            }
        }
    }
}

/// Makes an error of the text of another.
fn told(error: impl Display) -> anyhow::Error {
    anyhow::anyhow!("{error}")
}
