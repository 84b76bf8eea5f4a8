//! Typed launches in the interpreter: the backend of `ptx-launch` that needs no GPU.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::marker::PhantomData;
use std::rc::Rc;

use ptx::launch::{Kernel as Description, Plain};
use ptx::shared::Element;
use ptx_launch::{
    Argument, Arguments, ByName, CUtensorMapInterleave, Dim3, Function, KernelArguments, LaunchConfig,
    LaunchLimits, LaunchProblem, Launcher, Memory, MemoryMut, NoPadding, Region, TensorMapMode,
    TensorMapParameters, TensorMapProblem,
};

use crate::device::{Attributes, Device, LaunchError, LoadError, Module, lay_out};
use crate::limits::SHARED_PER_BLOCK;
use crate::options::{Launch, Options};
use crate::report::Report;
use crate::schedule::Schedule;
use crate::tensor;
use crate::trace::Trace;

/// The reason why an emulated launch failed.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No image is PTX.
    #[error(
        "no image of the kernels is PTX, which the interpreter runs; the build script makes cubins alone"
    )]
    NoImage,
    /// The PTX cannot be loaded.
    #[error("cannot load the kernels: {0}")]
    Load(#[from] LoadError),
    /// The module has no such kernel, or its kernel is of another source.
    #[error(
        "the module's kernel `{0}` is not compiled from the source that describes the launch; build the kernels again"
    )]
    Fingerprint(&'static str),
    /// The launch was refused.
    #[error("cannot launch kernel `{kernel}`: {problem}")]
    Launch {
        /// The name of the kernel.
        kernel: String,
        /// What is wrong with the launch.
        problem: LaunchProblem,
    },
    /// The kernel does not allow the launch.
    #[error(transparent)]
    Shape(#[from] LaunchError),
    /// A parameter of a tensor map is out of range.
    #[error("cannot encode the tensor map: {0}")]
    TensorMap(#[from] TensorMapProblem),
    /// The kernel does something wrong. Memory holds what the run of this schedule has written.
    #[error("schedule {schedule}:\n{report}")]
    Wrong {
        /// The number of the schedule, which replays the run.
        schedule: u64,
        /// The findings and the fault.
        report: Box<Report>,
    },
    /// The result depends on the schedule, which [`Emulator::one_result`] refuses.
    #[error("`{kernel}`: the byte at {address:#x} differs between the schedules {} and {}", schedules[0], schedules[1])]
    Differs {
        /// The name of the kernel.
        kernel: String,
        /// The first address whose byte differs.
        address: u64,
        /// The numbers of the two schedules.
        schedules: [u64; 2],
    },
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// An emulated GPU. Each launch runs to its end in the call, under one schedule or several.
///
/// ```no_run
/// # mod my_kernels { pub use launch::axpy; }
/// # fn run(images: &[(&str, &[u8])]) -> Result<(), ptx_emu::Error> {
/// let gpu = ptx_emu::Emulator::new().schedules(20);
/// // In a program: `ptx_emu::kernels!()` in place of `images`.
/// let axpy = gpu.load(images)?.kernel(my_kernels::axpy)?;
/// let x = gpu.slice(&[1.0f32; 1000]);
/// let mut y = gpu.slice(&[2.0f32; 1000]);
/// axpy.launch(&gpu, 4, (3.0, &x, &mut y))?;
/// assert_eq!(y.to_vec(), [5.0; 1000]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Emulator {
    device: Rc<RefCell<Device>>,
    options: Options,
    schedules: u64,
    /// The number of the next launch's first schedule.
    next: Cell<u64>,
    /// The first schedule of every launch, in place of `next`.
    every: Option<u64>,
    one_result: bool,
    printed: RefCell<String>,
    trace: RefCell<Option<Trace>>,
}

impl Emulator {
    /// Makes a GPU without allocations. Each launch runs under one schedule, which differs from launch to launch.
    #[must_use]
    pub fn new() -> Self {
        Self {
            device: Rc::default(),
            options: Options::default(),
            schedules: 1,
            next: Cell::new(0),
            every: None,
            one_result: false,
            printed: RefCell::default(),
            trace: RefCell::default(),
        }
    }

    /// Runs each launch under `count` schedules, each on the memory as it was before the launch.
    #[must_use]
    pub fn schedules(self, count: u64) -> Self {
        Self { schedules: count.max(1), ..self }
    }

    /// Sets the number of the first schedule, such as that of an [`Error::Wrong`].
    #[must_use]
    pub fn first_schedule(self, number: u64) -> Self {
        self.next.set(number);
        self
    }

    /// Begins every launch with this schedule. That of an [`Error::Wrong`] replays the wrong launch, whatever was launched before.
    #[must_use]
    pub fn every_launch_from(self, number: u64) -> Self {
        Self { every: Some(number), ..self }
    }

    /// Fails a launch if its schedules leave different memory, unless the module asks which lanes are active, or for the time.
    #[must_use]
    pub fn one_result(self) -> Self {
        Self { one_result: true, ..self }
    }

    /// Sets the options of the runs, except the schedule, which each launch chooses.
    #[must_use]
    pub fn options(self, options: Options) -> Self {
        Self { options, ..self }
    }

    /// Loads the kernels of a device crate: the PTX of its images for sm_90a or sm_90, or else the first PTX.
    ///
    /// # Errors
    ///
    /// [`Error::NoImage`] if no image is PTX; [`Error::Load`] names a line that the interpreter does not know.
    pub fn load(&self, images: &[(&str, &[u8])]) -> Result<Kernels, Error> {
        let texts =
            || images.iter().filter_map(|(target, image)| Some((*target, std::str::from_utf8(image).ok()?)));
        let of = |target: &str| texts().find(|(of, _)| *of == target);
        let (_, text) =
            of("sm_90a").or_else(|| of("sm_90")).or_else(|| texts().next()).ok_or(Error::NoImage)?;
        let module = self.device.borrow_mut().load(text.trim_end_matches('\0'))?;
        Ok(Kernels { module: Rc::new(module), device: self.device.clone() })
    }

    /// Allocates memory with these elements. An element is a number, as in a kernel's memory: a wrong kernel can write any bits,
    /// so memory of other types is refused:
    ///
    /// ```compile_fail,E0277
    /// let flags = ptx_emu::Emulator::new().slice(&[true; 8]); // `bool` is not an element
    /// ```
    #[must_use]
    pub fn slice<T: Plain + Element>(&self, elements: &[T]) -> Slice<T> {
        let mut bytes = vec![0; size_of_val(elements)];
        for (element, bytes) in elements.iter().zip(bytes.chunks_exact_mut(size_of::<T>())) {
            element.write_to(bytes);
        }
        let mut device = self.device.borrow_mut();
        let address = device.allocate(bytes.len());
        device.write(address, &bytes);
        Slice { device: self.device.clone(), address, len: elements.len(), elements: PhantomData }
    }

    /// Returns what the kernels have printed since the last call: each launch once, whatever the number of its schedules.
    #[must_use]
    pub fn printed(&self) -> String {
        self.printed.take()
    }

    /// Returns the trace of the last run since the last call, if the options ask for traces.
    #[must_use]
    pub fn trace(&self) -> Option<Trace> {
        self.trace.take()
    }
}

impl Default for Emulator {
    fn default() -> Self {
        Self::new()
    }
}

/// The loaded kernels of a device crate.
#[derive(Debug, Clone)]
pub struct Kernels {
    module: Rc<Module>,
    device: Rc<RefCell<Device>>,
}

impl Kernels {
    /// Returns the launcher of a kernel: `kernel` is the name of a function with `#[ptx::kernel]`.
    ///
    /// # Errors
    ///
    /// [`Error::Fingerprint`] if the images have no such kernel, or a kernel of another source.
    pub fn kernel<K: Description>(&self, kernel: K) -> Result<Launcher<K, Kernel>, Error> {
        let _ = kernel;
        let mut word = [0; 8];
        let address = self.module.variable(K::FINGERPRINT);
        let found = address.and_then(|address| self.device.borrow().read(address, &mut word));
        if found.is_none() || u64::from_le_bytes(word) != K::LAYOUT {
            return Err(Error::Fingerprint(K::NAME));
        }
        let function = self.function(K::NAME);
        // SAFETY: the fingerprint has the description's name and value, so the function is the kernel that `K` describes.
        Ok(unsafe { Launcher::new(function) })
    }

    /// Returns a kernel of any PTX, for launches without types.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] if the module has no kernel of this name.
    pub fn kernel_by_name(&self, name: &str) -> Result<Kernel, Error> {
        match self.module.parameters(name) {
            Some(_) => Ok(self.function(name)),
            None => Err(LaunchError::NoKernel(name.into()).into()),
        }
    }

    fn function(&self, name: &str) -> Kernel {
        Kernel { module: self.module.clone(), device: self.device.clone(), name: name.into() }
    }
}

/// Memory of an emulated GPU. A drop frees the memory.
#[derive(Debug)]
pub struct Slice<T> {
    device: Rc<RefCell<Device>>,
    address: u64,
    len: usize,
    elements: PhantomData<T>,
}

impl<T> Slice<T> {
    /// Returns the address of the elements on the emulated GPU: the argument for a raw pointer, as a `u64`, in `launch_unsafe`.
    #[must_use]
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Returns the number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl<T: Element> Slice<T> {
    /// Returns the elements.
    #[must_use]
    pub fn to_vec(&self) -> Vec<T> {
        let mut bytes = vec![0; self.len * size_of::<T>()];
        let read = self.device.borrow().read(self.address, &mut bytes);
        debug_assert!(read.is_some(), "the slice owns its memory");
        let element = |bytes: &[u8]| {
            // SAFETY: `bytes` has the length of a `T`, and any bits are a value of an `Element` (its clause 1).
            unsafe { bytes.as_ptr().cast::<T>().read_unaligned() }
        };
        bytes.chunks_exact(size_of::<T>()).map(element).collect()
    }
}

impl<T> Drop for Slice<T> {
    fn drop(&mut self) {
        self.device.borrow_mut().free(self.address);
    }
}

/// A kernel of an emulated GPU.
#[derive(Debug, Clone)]
pub struct Kernel {
    module: Rc<Module>,
    device: Rc<RefCell<Device>>,
    name: Rc<str>,
}

impl Kernel {
    /// Runs the kernel with a tuple of numbers and memory, of which the sizes of the parameters are checked. The types are not known.
    /// A wrong address is a fault of the kernel, and harms nothing of the host.
    ///
    /// # Errors
    ///
    /// As [`Launcher::launch`].
    pub fn launch<'a>(
        &self,
        gpu: &'a Emulator,
        config: &LaunchConfig,
        arguments: impl KernelArguments<'a, ByName, Self>,
    ) -> Result<(), Error> {
        let arguments = Arguments::by_name(self, gpu, config, arguments)?;
        // SAFETY: an emulated kernel accesses memory of the emulated GPU alone, whose bits are all values of its elements.
        unsafe { Function::launch(self, config, arguments) }
    }
}

/// The 128 bytes of a tensor map, aligned as a kernel requires.
#[repr(C, align(64))]
#[derive(Debug, Clone, Copy)]
pub struct TensorMap([u8; 128]);

// SAFETY: the type has no padding, since 128 bytes are a multiple of its alignment.
unsafe impl NoPadding for TensorMap {}

impl TensorMap {
    /// Returns the bytes, to write to the memory of the emulated GPU.
    #[must_use]
    pub fn to_bytes(self) -> [u8; 128] {
        self.0
    }
}

macro_rules! memory {
    ($($Slice:ty),*) => { $(
        // SAFETY: a slice owns `len` elements at `address`, allocated and initialized for as long as the slice lives. A launch
        // ends within the borrow.
        unsafe impl<'a, T> Memory<'a, Kernel, T> for $Slice {
            fn lend(self, gpu: &'a Emulator) -> Result<Region<()>, String> {
                if !Rc::ptr_eq(&self.device, &gpu.device) {
                    return Err("is memory of another emulated GPU".into());
                }
                Ok(Region { address: self.address, len: self.len, guard: () })
            }
        }

        // SAFETY: a parameter by name has no contract.
        unsafe impl<'a, T> Argument<'a, ByName, Kernel> for $Slice {
            fn pass(self, arguments: &mut Arguments<'_, 'a, Kernel>) -> Result<(), Error> {
                arguments.push_address::<T, _>(self)
            }
        }
    )* };
}
memory!(&'a Slice<T>, &'a mut Slice<T>);

// SAFETY: the `&mut` is exclusive until the launch has ended, so nothing else accesses the region.
unsafe impl<'a, T> MemoryMut<'a, Kernel, T> for &'a mut Slice<T> {}

// SAFETY: a launch runs to its end in the call, on memory of the emulated GPU alone.
unsafe impl Function for Kernel {
    type Queue = Emulator;
    type Guard<'a> = ();
    type Lock = ();
    type TensorMap = TensorMap;
    type Error = Error;

    fn lock() {}

    unsafe fn tensor_map(_: &Emulator, map: &TensorMapParameters<'_>) -> Result<TensorMap, Error> {
        let (im2col, boxes, lower, upper) = match map.mode {
            TensorMapMode::Tiled(boxes) => (false, boxes.clone(), &[][..], &[][..]),
            TensorMapMode::Im2col { lower, upper, channels, pixels } => {
                (true, vec![*channels, *pixels], lower.as_slice(), upper.as_slice())
            }
        };
        let or = |list: &[i32], i: usize| list.get(i).map_or(0, |corner| *corner as i8);
        let (swizzle, atomicity) = tensor::swizzle(map.swizzle as u32);
        let interleave = map.interleave != CUtensorMapInterleave::CU_TENSOR_MAP_INTERLEAVE_NONE;
        Ok(TensorMap(
            tensor::TensorMap {
                address: map.address,
                rank: map.dims.len() as u8,
                element: tensor::elemtype(map.element_type as u32),
                interleave: if interleave { map.interleave as u8 } else { 0 },
                swizzle,
                fill: map.oob_fill as u8,
                atomicity,
                im2col,
                // A dimension of 2^32 is written as 0.
                dims: std::array::from_fn(|i| map.dims.get(i).map_or(1, |dim| *dim as u32)),
                boxes: std::array::from_fn(|i| boxes.get(i).map_or(1, |extent| *extent as u16)),
                steps: std::array::from_fn(|i| map.element_strides.get(i).map_or(1, |step| *step as u8)),
                strides: std::array::from_fn(|i| map.strides.get(i).copied().unwrap_or(0)),
                lower: std::array::from_fn(|i| or(lower, i)),
                upper: std::array::from_fn(|i| or(upper, i)),
            }
            .to_bytes(),
        ))
    }

    unsafe fn launch(&self, config: &LaunchConfig, arguments: Arguments<'_, '_, Self>) -> Result<(), Error> {
        let gpu = arguments.queue();
        if !Rc::ptr_eq(&self.device, &gpu.device) {
            return Err(self.refuse(LaunchProblem::Argument(
                "the queue".into(),
                "is another emulated GPU than the kernel's".into(),
            )));
        }
        let attributes = self.module.attributes(&self.name);
        let attributes = attributes.ok_or_else(|| LaunchError::NoKernel((*self.name).into()))?;
        config.check(&limits(&attributes)).map_err(|problem| self.refuse(problem))?;
        let parameters = &attributes.parameters;
        let sizes: Vec<_> = parameters.iter().map(|parameter| parameter.bytes as usize).collect();
        if let Err(problem) = arguments.compare(&sizes) {
            return Err(self.refuse(LaunchProblem::Argument("list".into(), problem)));
        }
        let values: Vec<_> = arguments.bytes().collect();
        let extents = |dim: Dim3| [dim.x, dim.y, dim.z];
        let launch = Launch {
            grid: extents(config.grid),
            block: extents(config.block),
            cluster: config.cluster.map_or([1; 3], extents),
            dynamic_shared: config.dynamic_shared_bytes,
            programmatic: config.programmatic,
            cooperative: config.cooperative,
            params: lay_out(parameters, &values),
        };
        let mut device = gpu.device.borrow_mut();
        let before = (gpu.schedules > 1).then(|| device.clone());
        let compares = gpu.one_result && gpu.schedules > 1 && !self.module.asks_for_open_values();
        let mut first: Option<(u64, Option<Device>)> = None;
        if let Some(number) = gpu.every {
            gpu.next.set(number);
        }
        for _ in 0..gpu.schedules {
            let schedule = gpu.next.get();
            gpu.next.set(schedule.wrapping_add(1));
            if let (Some(before), Some(_)) = (&before, &first) {
                device.clone_from(before);
            }
            let options = Options { schedule: Schedule::of(schedule), ..gpu.options.clone() };
            let mut report = device.launch(&self.module, &self.name, &launch, &options)?;
            if first.is_none() {
                gpu.printed.borrow_mut().push_str(&report.printed);
            }
            if let Some(trace) = report.trace.take() {
                *gpu.trace.borrow_mut() = Some(trace);
            }
            if !report.is_clean() {
                // On a GPU, a fault ends the context, and the next context loads the module again.
                if report.fault.is_some() {
                    device.initialize(&self.module);
                }
                return Err(Error::Wrong { schedule, report: Box::new(report) });
            }
            match &first {
                None => first = Some((schedule, compares.then(|| device.clone()))),
                Some((other, Some(result))) => {
                    if let Some(address) = device.difference(result) {
                        let (kernel, schedules) = ((*self.name).into(), [*other, schedule]);
                        return Err(Error::Differs { kernel, address, schedules });
                    }
                }
                Some((_, None)) => {}
            }
        }
        Ok(())
    }

    fn refuse(&self, problem: LaunchProblem) -> Error {
        Error::Launch { kernel: (*self.name).into(), problem }
    }
}

/// Returns the limits of a kernel's launches on an H200.
fn limits(kernel: &Attributes) -> LaunchLimits {
    let dim = |[x, y, z]: [u32; 3]| Dim3 { x, y, z };
    LaunchLimits {
        max_threads: kernel
            .max_threads
            .map_or(u32::MAX, |threads| threads.try_into().unwrap_or(u32::MAX))
            .min(1024),
        max_dynamic_shared_bytes: SHARED_PER_BLOCK.saturating_sub(kernel.static_shared),
        required_block: kernel.required_block.map(dim),
        required_cluster: kernel.required_cluster.map(dim),
        needs_cluster: kernel.explicit_cluster,
        has_clusters: true,
        has_cooperative: true,
    }
}

/// Returns the images of the kernels that `ptx-build` has compiled in the build script of this crate, for [`Emulator::load`]. An
/// argument names a file other than `ptx_kernels`.
#[macro_export]
macro_rules! kernels {
    () => {
        $crate::kernels!("ptx_kernels")
    };
    ($name:literal) => {
        $crate::__private::Images::get($crate::__private::__images!($name))
    };
}

#[cfg(test)]
mod tests {
    use ptx_launch::CUtensorMapSwizzle::{self, *};
    use ptx_launch::TensorMapBuilder;

    use super::*;

    #[test]
    fn a_map_has_the_swizzle_and_its_atomicity() {
        let gpu = Emulator::new();
        let fields = |swizzle: CUtensorMapSwizzle| {
            let map = TensorMapBuilder::tiled(&[32, 32], &[32, 8]).swizzle(swizzle);
            let parameters = map.check::<f32>(0x1000, 1024).unwrap();
            // SAFETY: `check` has returned the parameters, and nothing has changed them.
            let TensorMap(bytes) = unsafe { Kernel::tensor_map(&gpu, &parameters) }.unwrap();
            let map = tensor::TensorMap::from_bytes(&bytes).unwrap();
            (map.swizzle, map.atomicity)
        };
        assert_eq!(fields(CU_TENSOR_MAP_SWIZZLE_NONE), (0, 0));
        assert_eq!(fields(CU_TENSOR_MAP_SWIZZLE_128B), (3, 0));
        assert_eq!(fields(CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B), (3, 1));
        assert_eq!(fields(CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B), (3, 2));
        assert_eq!(fields(CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B), (3, 3));
    }
}
