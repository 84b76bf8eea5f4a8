//! Kernels: attributes, occupancy, and the checked launch.

use std::ffi::c_void;
use std::fmt;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cudarc::driver::CudaStream;
use cudarc::driver::sys::{
    self, CUdevice_attribute as DeviceAttribute, CUfunction, CUfunction_attribute as Attribute,
    CUlaunchAttribute, CUlaunchAttributeID, CUlaunchAttributeValue, CUlaunchConfig,
};

use crate::context::note_launch;
use crate::error::check;
use crate::image::required_block;
use crate::kernels::Order;
use crate::memory::{InUse, is_captured, is_per_thread};
use crate::module::attribute_of as of_device;
use crate::tensor::encode;
use crate::{
    Arguments, ByName, Dim3, Error, Function, KernelArguments, LaunchConfig, LaunchLimits, LaunchProblem,
    Module, Result, StreamProblem, TensorMap, TensorMapParameters,
};

/// The thread blocks per cluster that every device with clusters can run.
const PORTABLE_CLUSTER: u128 = 8;

/// The shared memory that a kernel may use without opting in, in bytes, static and dynamic together.
const SHARED_WITHOUT_OPT_IN: u32 = 48 * 1024;

/// A kernel of a loaded module, from [`Module::kernel_by_name`].
pub struct Kernel {
    function: CUfunction,
    module: Module,
    /// The names of the kernel and the module, for messages.
    label: Arc<str>,
    /// The sizes of the parameters in bytes.
    parameters: Vec<usize>,
    attributes: KernelAttributes,
    limits: LaunchLimits,
    multiprocessors: u32,
    /// The order that keeps events on, which typed launches need.
    pub(crate) order: Option<Arc<Order>>,
    /// True once the function may use all the dynamic shared memory that the device has for it.
    opted_in: AtomicBool,
}

// SAFETY: any thread may use a function handle, and `module` keeps the handle valid.
unsafe impl Send for Kernel {}
// SAFETY: as for `Send`; only the atomic `opted_in` changes through `&Kernel`.
unsafe impl Sync for Kernel {}

/// The resources and the shape of a kernel, as the driver (`CUfunction_attribute`) and the image state them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct KernelAttributes {
    /// Registers per thread.
    pub registers: u32,
    /// Static shared memory per thread block, in bytes.
    pub static_shared_bytes: u32,
    /// Local memory per thread (stack and spills), in bytes.
    pub local_bytes: u32,
    /// The most threads per block, by registers and launch bounds.
    pub max_threads: u32,
    /// The most dynamic shared memory that a launch can have, in bytes.
    pub max_dynamic_shared_bytes: u32,
    /// The block that the kernel requires (`.reqntid`).
    pub required_block: Option<Dim3>,
    /// The cluster that the kernel requires (`.reqnctapercluster`).
    pub required_cluster: Option<Dim3>,
}

impl Kernel {
    pub(crate) fn new(module: &Module, name: &str) -> Result<Self> {
        use Attribute::*;
        use DeviceAttribute::*;
        let function = module.function(name)?;
        let label: Arc<str> = format!("`{name}` of {}", module.name()).into();
        let device = |attribute| of_device(module.context(), attribute);
        let get = |attribute| {
            let mut value = 0;
            // SAFETY: `value` is valid for a write, and the function's module is loaded.
            let result = unsafe { sys::cuFuncGetAttribute(&mut value, attribute, function) }.result();
            check(result, || format!("reading {attribute:?} of kernel {label}"))
                .map(|()| value.unsigned_abs())
        };
        let static_shared_bytes = get(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?;
        let shared = device(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?;
        let (x, y) =
            (get(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH)?, get(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT)?);
        let cluster = Dim3 { x, y, z: get(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH)? };
        let attributes = KernelAttributes {
            registers: get(CU_FUNC_ATTRIBUTE_NUM_REGS)?,
            static_shared_bytes,
            local_bytes: get(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
            max_threads: get(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            max_dynamic_shared_bytes: shared.saturating_sub(static_shared_bytes),
            required_block: required_block(module.image(), name),
            required_cluster: (cluster.count() > 0).then_some(cluster),
        };
        let limits = LaunchLimits {
            max_threads: attributes.max_threads,
            max_dynamic_shared_bytes: attributes.max_dynamic_shared_bytes,
            required_block: attributes.required_block,
            required_cluster: attributes.required_cluster,
            needs_cluster: get(CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET)? != 0,
            has_clusters: device(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH)? != 0,
            has_cooperative: device(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH)? != 0,
        };
        Ok(Self {
            function,
            module: module.clone(),
            parameters: (0..).map_while(|index| parameter_size(function, index)).collect(),
            attributes,
            limits,
            multiprocessors: device(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
            opted_in: AtomicBool::new(false),
            label,
            order: None,
        })
    }

    /// Puts the kernel on `stream`, after the work that is on `stream` already. [`wait`](crate::wait) waits for the kernel.
    ///
    /// `args` is a tuple of numbers, slices of `cudarc` and tensor maps: see [`Argument`](crate::Argument). Number and sizes are
    /// compared with the kernel's parameters. A module does not say which memory a pointer must point to.
    ///
    /// ```no_run
    /// # let context = ptx_host::open(0)?;
    /// # let stream = context.default_stream();
    /// use ptx_host::{LaunchConfig, Module};
    /// let axpy = Module::load(&context, "axpy.ptx")?.kernel_by_name("axpy")?;
    /// let x = stream.clone_htod(&[1.0f32; 1024])?;
    /// let mut y = stream.alloc_zeros::<f32>(1024)?;
    /// let config = LaunchConfig::new(4, 256);
    /// // SAFETY: `axpy` takes a factor, the addresses of x and y, and their length; it writes y alone.
    /// unsafe { axpy.launch(&stream, &config, (2.0f32, &x, &mut y, 1024u64))? };
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Signature`] if the arguments differ from the parameters; [`Error::Launch`] if the device or the kernel does not
    /// allow this launch; [`Error::Stream`] if the stream is of another context; [`Error::Cuda`] if the driver refuses the
    /// launch.
    ///
    /// # Safety
    ///
    /// 1. Each argument has the type of the kernel's parameter.
    /// 2. The kernel may be called with these values and this configuration: every pointer is valid for the kernel's accesses
    ///    through it, until the kernel ends. For a slice, borrows and events ensure the time: the kernel reads what a shared
    ///    borrow gives, and reads and writes what a mutable borrow gives.
    /// 3. With [`LaunchConfig::programmatic`], the kernel waits (`griddepcontrol.wait`) before it touches what the preceding
    ///    kernel uses.
    /// 4. If the stream is being captured, the graph is launched only while the module is loaded and every pointer is valid.
    pub unsafe fn launch<'a>(
        &self,
        stream: &'a CudaStream,
        config: &LaunchConfig,
        args: impl KernelArgs<'a>,
    ) -> Result<()> {
        self.check_context(stream)?;
        let _lock = Self::lock();
        let arguments = Arguments::by_name(self, stream, config, args)?;
        // SAFETY: `# Safety` of this function.
        unsafe { self.launch_with(config, &arguments) }
    }

    /// Checks a launch and gives it to the driver.
    ///
    /// # Safety
    ///
    /// That of [`launch`](Self::launch).
    pub(crate) unsafe fn launch_with(
        &self,
        config: &LaunchConfig,
        arguments: &Arguments<'_, '_, Self>,
    ) -> Result<()> {
        let signature = |problem| Error::Signature { kernel: self.label.to_string(), problem };
        arguments.compare(&self.parameters).map_err(signature)?;
        self.prepare(config)?;
        if config.cooperative {
            let resident = self.max_active_blocks(config)?;
            config.check_resident(resident).map_err(|problem| self.refuse(problem))?;
        }
        let stream = arguments.queue();
        for reset in arguments.guards().iter().filter_map(|memory| memory.reset.as_ref()) {
            // SAFETY: the launch has the region, and the reset comes before the kernel on its stream.
            unsafe { reset.put(stream)? };
        }
        let mut attributes = attributes_of(config);
        let config = driver_config(config, stream.cu_stream(), &mut attributes);
        let mut addresses: Vec<_> =
            arguments.bytes().map(|bytes| bytes.as_ptr().cast::<c_void>().cast_mut()).collect();
        // SAFETY: configuration, attributes and arguments outlive the call. `compare` compared the sizes of the arguments with
        // those of the parameters, and the values are legal: `# Safety`. The driver only reads the arguments.
        let result =
            unsafe { sys::cuLaunchKernelEx(&config, self.function, addresses.as_mut_ptr(), ptr::null_mut()) };
        check(result.result(), || format!("launching kernel {}", self.label))?;
        note_launch(stream, &self.label);
        Ok(())
    }

    /// Refuses a stream of another context than the module's.
    fn check_context(&self, stream: &CudaStream) -> Result<()> {
        let (ours, theirs) = (self.module.context(), stream.context());
        // Each opening of a device counts its own streams, and the count decides whether the streams are ordered.
        if Arc::ptr_eq(ours, theirs) {
            Ok(())
        } else {
            Err(self.refuse_stream(StreamProblem::Context(ours.ordinal(), theirs.ordinal())))
        }
    }

    /// Refuses a typed launch whose memory and stream are not ordered with all others.
    pub(crate) fn check_typed(&self, arguments: &Arguments<'_, '_, Self>) -> Result<()> {
        let stream = arguments.queue();
        let captured = |reason| self.refuse_stream(StreamProblem::Captured(reason));
        if is_captured(stream).map_err(captured)? {
            return Err(captured("is being captured".into()));
        }
        if self.order.is_none() {
            return Err(self.refuse_stream(StreamProblem::NoOrder));
        }
        if is_per_thread(stream) || arguments.guards().iter().any(|memory| memory.is_per_thread) {
            return Err(self.refuse_stream(StreamProblem::PerThread));
        }
        self.check_context(stream)
    }

    fn refuse_stream(&self, problem: StreamProblem) -> Error {
        Error::Stream { kernel: self.label.to_string(), problem }
    }

    /// Checks the configuration, makes the context current, and opts the function in to what the launch needs.
    fn prepare(&self, config: &LaunchConfig) -> Result<()> {
        config.check(&self.limits).map_err(|problem| self.refuse(problem))?;
        check(self.module.context().bind_to_thread(), || format!("launching kernel {}", self.label))?;
        let (kernel, bytes) = (&self.attributes, config.dynamic_shared_bytes);
        let needs_opt_in = bytes.saturating_add(kernel.static_shared_bytes) > SHARED_WITHOUT_OPT_IN;
        if needs_opt_in && !self.opted_in.load(Ordering::Relaxed) {
            // The number is always the same, because another `Kernel` of this function may opt in too.
            let most = kernel.max_dynamic_shared_bytes;
            self.set(Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, most)?;
            self.opted_in.store(true, Ordering::Relaxed);
        }
        if self.cluster(config).is_some_and(|cluster| cluster.count() > PORTABLE_CLUSTER) {
            self.set(Attribute::CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1)?;
        }
        Ok(())
    }

    fn cluster(&self, config: &LaunchConfig) -> Option<Dim3> {
        config.cluster.or(self.limits.required_cluster)
    }

    fn set(&self, attribute: Attribute, value: u32) -> Result<()> {
        // SAFETY: `module` keeps the function loaded, and the context is current. Every value set here fits an `i32`.
        check(unsafe { sys::cuFuncSetAttribute(self.function, attribute, value as i32) }.result(), || {
            format!("setting {attribute:?} of kernel {} to {value}", self.label)
        })
    }

    /// Returns the number of blocks of this configuration that the whole device runs at the same time. So many blocks are the best
    /// grid of a kernel that loops over its tiles or rows. The grid has no effect, and of a cluster's blocks all are counted.
    ///
    /// ```no_run
    /// # let context = ptx_host::open(0)?;
    /// # let axpy = ptx_host::Module::load(&context, "axpy.ptx")?.kernel_by_name("axpy")?;
    /// let blocks = axpy.max_active_blocks(&ptx_host::LaunchConfig::new(1, 256).dynamic_shared(64 * 1024))?;
    /// # Ok::<(), ptx_host::Error>(())
    /// ```
    ///
    /// Of a typed kernel: `scan.function().max_active_blocks(&Grid::new(1).config::<kernels::scan>())`.
    ///
    /// # Errors
    ///
    /// As [`max_active_blocks_per_multiprocessor`](Self::max_active_blocks_per_multiprocessor).
    pub fn max_active_blocks(&self, config: &LaunchConfig) -> Result<u32> {
        match self.cluster(config) {
            Some(cluster) => Ok(self.max_active_clusters(config)?.saturating_mul(cluster.count() as u32)),
            None => {
                Ok(self.max_active_blocks_per_multiprocessor(config)?.saturating_mul(self.multiprocessors))
            }
        }
    }

    /// Returns the number of blocks of this configuration that a multiprocessor runs at the same time
    /// (`cuOccupancyMaxActiveBlocksPerMultiprocessor`). The grid and the cluster have no effect.
    ///
    /// ```no_run
    /// # let context = ptx_host::open(0)?;
    /// # let axpy = ptx_host::Module::load(&context, "axpy.ptx")?.kernel_by_name("axpy")?;
    /// let config = ptx_host::LaunchConfig::new(1, 256).dynamic_shared(64 * 1024);
    /// println!("{} blocks", axpy.max_active_blocks_per_multiprocessor(&config)?);
    /// # Ok::<(), ptx_host::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Launch`] if the kernel cannot be launched with this configuration; [`Error::Cuda`] if the driver fails.
    pub fn max_active_blocks_per_multiprocessor(&self, config: &LaunchConfig) -> Result<u32> {
        self.occupancy(config, |blocks, _| {
            // The check has bounded the threads.
            let (threads, bytes) = (config.block.count() as i32, config.dynamic_shared_bytes as usize);
            // SAFETY: `blocks` is valid for a write, and the function's module is loaded.
            unsafe { sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, self.function, threads, bytes) }
        })
    }

    /// Returns the number of clusters of this configuration that the device runs at the same time
    /// (`cuOccupancyMaxActiveClusters`).
    ///
    /// # Errors
    ///
    /// [`Error::Launch`] if the kernel cannot be launched with this configuration; [`Error::Cuda`] if the driver fails.
    pub fn max_active_clusters(&self, config: &LaunchConfig) -> Result<u32> {
        // SAFETY: `clusters` is valid for a write, `driver` for a read, and the function's module is loaded.
        self.occupancy(config, |clusters, driver| unsafe {
            sys::cuOccupancyMaxActiveClusters(clusters, self.function, driver)
        })
    }

    fn occupancy(
        &self,
        config: &LaunchConfig,
        ask: impl FnOnce(*mut i32, *const CUlaunchConfig) -> sys::CUresult,
    ) -> Result<u32> {
        self.prepare(config)?;
        // Of the attributes, only the cluster affects the occupancy.
        let config = &LaunchConfig { cooperative: false, programmatic: false, ..*config };
        let (mut count, mut attributes) = (0, attributes_of(config));
        let driver = driver_config(config, ptr::null_mut(), &mut attributes);
        check(ask(&mut count, &driver).result(), || format!("asking for the occupancy of {}", self.label))?;
        Ok(count.unsigned_abs())
    }

    /// Returns the resources and the shape of the kernel.
    #[must_use]
    pub fn attributes(&self) -> &KernelAttributes {
        &self.attributes
    }

    /// Returns the module that contains the kernel.
    #[must_use]
    pub fn module(&self) -> &Module {
        &self.module
    }
}

/// The lock of a launch while it lends memory and is queued. Without the lock, two threads that lend one slice would lose the
/// event of one.
static LAUNCH: Mutex<()> = Mutex::new(());

// SAFETY: `launch_with` compares the bytes with the parameters, and checks the shape. `Memory` of `cudarc` is ordered by events.
unsafe impl Function for Kernel {
    type Queue = CudaStream;
    type Guard<'a> = InUse<'a>;
    type Lock = MutexGuard<'static, ()>;
    type TensorMap = TensorMap;
    type Error = Error;

    fn lock() -> Self::Lock {
        LAUNCH.lock().unwrap_or_else(PoisonError::into_inner)
    }

    unsafe fn tensor_map(stream: &CudaStream, map: &TensorMapParameters<'_>) -> Result<TensorMap> {
        // SAFETY: `# Safety` of this function.
        unsafe { encode(stream.context(), map) }
    }

    unsafe fn launch(&self, config: &LaunchConfig, arguments: Arguments<'_, '_, Self>) -> Result<()> {
        self.check_typed(&arguments)?;
        // SAFETY: `# Safety` of this function.
        unsafe { self.launch_with(config, &arguments) }
    }

    fn refuse(&self, problem: LaunchProblem) -> Error {
        Error::Launch { kernel: self.label.to_string(), problem }
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Kernel").field(&self.label).finish()
    }
}

/// The launcher of a kernel, by default of one that [`LoadedKernels::kernel`](crate::LoadedKernels::kernel) has found.
pub type Launcher<K, F = Kernel> = ptx_launch::Launcher<K, F>;

/// The arguments of a launch by name: a tuple of up to twelve numbers, tensor maps and borrowed slices of `cudarc`, which become
/// their addresses. The address of other memory is a `u64`.
pub trait KernelArgs<'a>: KernelArguments<'a, ByName, Kernel> {}
impl<'a, A: KernelArguments<'a, ByName, Kernel>> KernelArgs<'a> for A {}

/// Returns the size of parameter `index`, or `None` past the last parameter.
fn parameter_size(function: CUfunction, index: usize) -> Option<usize> {
    let (mut offset, mut size) = (0, 0);
    // SAFETY: `offset` and `size` are valid for writes, and the function's module is loaded.
    let result = unsafe { sys::cuFuncGetParamInfo(function, index, &mut offset, &mut size) };
    result.result().ok().map(|()| size)
}

fn attributes_of(config: &LaunchConfig) -> Vec<CUlaunchAttribute> {
    use CUlaunchAttributeID::*;
    let mut attributes = Vec::new();
    let mut add = |id, set: &dyn Fn(&mut CUlaunchAttributeValue)| {
        let mut value = CUlaunchAttributeValue { pad: [0; 64] };
        set(&mut value);
        attributes.push(CUlaunchAttribute { id, pad: [0; 4], value });
    };
    if let Some(Dim3 { x, y, z }) = config.cluster {
        add(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &|value| {
            (value.clusterDim.x, value.clusterDim.y, value.clusterDim.z) = (x, y, z);
        });
    }
    if config.cooperative {
        add(CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &|value| value.cooperative = 1);
    }
    if config.programmatic {
        let id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
        add(id, &|value| value.programmaticStreamSerializationAllowed = 1);
    }
    attributes
}

fn driver_config(
    config: &LaunchConfig,
    stream: sys::CUstream,
    attributes: &mut [CUlaunchAttribute],
) -> CUlaunchConfig {
    CUlaunchConfig {
        gridDimX: config.grid.x,
        gridDimY: config.grid.y,
        gridDimZ: config.grid.z,
        blockDimX: config.block.x,
        blockDimY: config.block.y,
        blockDimZ: config.block.z,
        sharedMemBytes: config.dynamic_shared_bytes,
        hStream: stream,
        attrs: attributes.as_mut_ptr(),
        numAttrs: attributes.len() as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_setting_reaches_the_driver_as_its_attribute() {
        let config = LaunchConfig::new(24, 1);
        assert!(attributes_of(&config).is_empty());
        let all = attributes_of(&config.cluster((2, 3, 4)).cooperative().programmatic());
        // SAFETY: `attributes_of` wrote these fields of the three attributes.
        unsafe {
            let cluster = all[0].value.clusterDim;
            assert_eq!((cluster.x, cluster.y, cluster.z), (2, 3, 4));
            assert_eq!(
                (all[1].value.cooperative, all[2].value.programmaticStreamSerializationAllowed),
                (1, 1)
            );
        }
    }
}
