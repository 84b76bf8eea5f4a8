//! Kernels and their arguments.

use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use bytemuck::Pod;
use cudarc::driver::sys::{
    self, CUfunction, CUfunction_attribute as Attribute, CUlaunchAttribute, CUlaunchAttributeID,
    CUlaunchAttributeValue, CUlaunchConfig, CUresult,
};

use crate::error::check;
use crate::launch::Limits;
use crate::{DevicePtr, Error, LaunchConfig, Module, Result, Stream};

/// Dynamic shared memory that a kernel has without opting in, in bytes.
const SHARED_WITHOUT_OPT_IN: u32 = 48 * 1024;

mod sealed {
    pub trait Arg {}
    pub trait Args {}
}

/// One kernel argument: plain data that the kernel's parameter holds bit for bit.
///
/// # Safety
///
/// The type's size and bits are those of the parameter. Sealed.
pub unsafe trait KernelArg: Copy + sealed::Arg {}

macro_rules! kernel_arg {
    ($($ty:ty),*) => {$(
        impl sealed::Arg for $ty {}
        // SAFETY: a scalar has the same size and bits on host and device (`usize` is 64-bit on both).
        unsafe impl KernelArg for $ty {}
    )*};
}
kernel_arg!(f32, f64, i32, u32, i64, u64);
#[cfg(target_pointer_width = "64")]
kernel_arg!(usize);

impl<T: Pod> sealed::Arg for DevicePtr<T> {}
// SAFETY: `DevicePtr` is a transparent 64-bit device address.
unsafe impl<T: Pod> KernelArg for DevicePtr<T> {}

/// The arguments of a kernel: a tuple of up to twelve [`KernelArg`]s.
///
/// # Safety
///
/// `SIZES` are the sizes of the values whose addresses `with_addresses` passes on, in the same order. Sealed.
pub unsafe trait KernelArgs: sealed::Args {
    /// Sizes of the arguments in bytes.
    const SIZES: &'static [usize];

    /// Calls `f` with the addresses of the arguments.
    fn with_addresses<R>(&self, f: impl FnOnce(&mut [*mut c_void]) -> R) -> R;
}

macro_rules! kernel_args {
    ($($ty:ident),*) => {
        impl<$($ty: KernelArg),*> sealed::Args for ($($ty,)*) {}
        // SAFETY: sizes and addresses are listed from the same type parameters.
        unsafe impl<$($ty: KernelArg),*> KernelArgs for ($($ty,)*) {
            const SIZES: &'static [usize] = &[$(size_of::<$ty>()),*];

            #[allow(non_snake_case)]
            fn with_addresses<R>(&self, f: impl FnOnce(&mut [*mut c_void]) -> R) -> R {
                let ($($ty,)*) = self;
                f(&mut [$(std::ptr::from_ref($ty).cast_mut().cast()),*])
            }
        }
    };
}
kernel_args!();
kernel_args!(A);
kernel_args!(A, B);
kernel_args!(A, B, C);
kernel_args!(A, B, C, D);
kernel_args!(A, B, C, D, E);
kernel_args!(A, B, C, D, E, F);
kernel_args!(A, B, C, D, E, F, G);
kernel_args!(A, B, C, D, E, F, G, H);
kernel_args!(A, B, C, D, E, F, G, H, I);
kernel_args!(A, B, C, D, E, F, G, H, I, J);
kernel_args!(A, B, C, D, E, F, G, H, I, J, K);
kernel_args!(A, B, C, D, E, F, G, H, I, J, K, L);

/// A kernel that takes the arguments `A`, from [`Module::kernel`].
///
/// The number and sizes of the parameters were checked against the module, so finding a kernel is safe. What its
/// pointers must point to no module says, so [`launch`](Self::launch) is `unsafe`: a kernel's own host function, which
/// knows its contract, checks lengths and alignment and then makes this one call.
pub struct Kernel<A> {
    function: CUfunction,
    module: Module,
    /// Kernel and module, for messages.
    label: Arc<str>,
    limits: Limits,
    registers: u32,
    static_shared_bytes: u32,
    local_bytes: u32,
    /// Dynamic shared memory that the function is already allowed.
    allowed_shared: AtomicU32,
    args: PhantomData<fn(A)>,
}

// SAFETY: a function handle may be used from any thread, and lives as long as `module`.
unsafe impl<A> Send for Kernel<A> {}
// SAFETY: as above; the only change is to an atomic.
unsafe impl<A> Sync for Kernel<A> {}

impl<A: KernelArgs> Kernel<A> {
    pub(crate) fn new(module: &Module, name: &str) -> Result<Self> {
        let function = module.function(name)?;
        let label: Arc<str> = format!("`{name}` of {}", module.name()).into();
        check_signature(function, A::SIZES)
            .map_err(|problem| Error::Signature { kernel: label.to_string(), problem })?;
        let get = |attribute| attribute_of(function, attribute, &label);
        let static_shared_bytes = get(Attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?;
        let device = module.device().info();
        let limits = Limits {
            grid: device.max_grid,
            block: device.max_block,
            threads: get(Attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            dynamic_shared_bytes: device.max_shared_bytes.saturating_sub(static_shared_bytes),
            clusters: device.clusters,
        };
        Ok(Self {
            function,
            module: module.clone(),
            limits,
            registers: get(Attribute::CU_FUNC_ATTRIBUTE_NUM_REGS)?,
            static_shared_bytes,
            local_bytes: get(Attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
            allowed_shared: AtomicU32::new(SHARED_WITHOUT_OPT_IN.saturating_sub(static_shared_bytes)),
            label,
            args: PhantomData,
        })
    }

    /// Puts the kernel on a stream. It runs after what was put there before; wait for it with [`Stream::wait`].
    ///
    /// # Errors
    ///
    /// [`Error::Launch`] if the device cannot run this shape, [`Error::Cuda`] if the driver refuses it.
    ///
    /// # Safety
    ///
    /// The kernel may be called with these arguments: each stands for the parameter of its type, and every pointer
    /// among them is valid for what the kernel does through it. Buffers of this crate need not be kept alive for it:
    /// dropping one waits for the device.
    pub unsafe fn launch(&self, stream: &Stream, config: &LaunchConfig, args: A) -> Result<()> {
        config
            .check(&self.limits)
            .map_err(|problem| Error::Launch { kernel: self.label.to_string(), problem })?;
        self.module.device().bind()?;
        self.allow_shared(config.dynamic_shared_bytes)?;
        if config.needs_non_portable_cluster() {
            self.set(Attribute::CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1)?;
        }
        let mut attributes: Vec<_> = config.cluster.map(cluster_attribute).into_iter().collect();
        let config = driver_config(config, stream, &mut attributes);
        let function = self.function;
        let result = args.with_addresses(|addresses| {
            // SAFETY: the configuration and attributes outlive the call, the addresses are those of arguments as
            // large as the parameters, and the caller vouches for their values.
            unsafe { sys::cuLaunchKernelEx(&config, function, addresses.as_mut_ptr(), std::ptr::null_mut()) }
        });
        check(result, || format!("launching kernel {}", self.label))?;
        stream.note_launch(&self.label);
        Ok(())
    }

    /// Lets the function have as much dynamic shared memory as it is launched with.
    fn allow_shared(&self, bytes: u32) -> Result<()> {
        if bytes > self.allowed_shared.load(Ordering::Relaxed) {
            self.set(Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes)?;
            self.allowed_shared.fetch_max(bytes, Ordering::Relaxed);
        }
        Ok(())
    }

    fn set(&self, attribute: Attribute, value: u32) -> Result<()> {
        // SAFETY: the function's module is loaded and its context current. All values set here are small.
        check(unsafe { sys::cuFuncSetAttribute(self.function, attribute, value as i32) }, || {
            format!("setting {attribute:?} of kernel {} to {value}", self.label)
        })
    }
}

impl<A> Kernel<A> {
    /// Registers per thread.
    #[must_use]
    pub fn registers(&self) -> u32 {
        self.registers
    }

    /// Static shared memory per block, in bytes.
    #[must_use]
    pub fn static_shared_bytes(&self) -> u32 {
        self.static_shared_bytes
    }

    /// Local memory per thread, in bytes: stack and spills.
    #[must_use]
    pub fn local_bytes(&self) -> u32 {
        self.local_bytes
    }

    /// Most dynamic shared memory that it can be launched with, in bytes.
    #[must_use]
    pub fn max_dynamic_shared_bytes(&self) -> u32 {
        self.limits.dynamic_shared_bytes
    }

    /// The module that it is in.
    #[must_use]
    pub fn module(&self) -> &Module {
        &self.module
    }
}

impl<A> fmt::Debug for Kernel<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Kernel").field(&self.label).finish()
    }
}

fn attribute_of(function: CUfunction, attribute: Attribute, label: &str) -> Result<u32> {
    let mut value = 0;
    // SAFETY: `value` is a valid place and the function's module is loaded.
    let result = unsafe { sys::cuFuncGetAttribute(&mut value, attribute, function) };
    check(result, || format!("asking for {attribute:?} of kernel {label}"))?;
    Ok(value.unsigned_abs())
}

fn check_signature(function: CUfunction, sizes: &[usize]) -> Result<(), String> {
    let parameters = std::iter::from_fn({
        let mut index = 0;
        move || {
            let size = parameter_size(function, index)?;
            index += 1;
            Some(size)
        }
    });
    compare_signature(parameters, sizes)
}

/// Size of a parameter, or `None` past the last one.
fn parameter_size(function: CUfunction, index: usize) -> Option<usize> {
    let (mut offset, mut size) = (0, 0);
    // SAFETY: both places are valid, and the function's module is loaded.
    let result = unsafe { sys::cuFuncGetParamInfo(function, index, &mut offset, &mut size) };
    (result == CUresult::CUDA_SUCCESS).then_some(size)
}

fn compare_signature(parameters: impl Iterator<Item = usize>, arguments: &[usize]) -> Result<(), String> {
    let parameters: Vec<_> = parameters.collect();
    if parameters.len() != arguments.len() {
        return Err(format!("it has {} parameters, not {}", parameters.len(), arguments.len()));
    }
    match parameters.iter().zip(arguments).position(|(parameter, argument)| parameter != argument) {
        None => Ok(()),
        Some(i) => {
            Err(format!("parameter {i} has {} bytes, the argument has {}", parameters[i], arguments[i]))
        }
    }
}

fn cluster_attribute(cluster: crate::Dim3) -> CUlaunchAttribute {
    let mut value = CUlaunchAttributeValue { pad: [0; 64] };
    value.clusterDim.x = cluster.x;
    value.clusterDim.y = cluster.y;
    value.clusterDim.z = cluster.z;
    CUlaunchAttribute { id: CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, pad: [0; 4], value }
}

fn driver_config(
    config: &LaunchConfig,
    stream: &Stream,
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
        hStream: stream.handle(),
        attrs: attributes.as_mut_ptr(),
        numAttrs: attributes.len() as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Axpy = (f32, DevicePtr<f32>, DevicePtr<f32>, u64);

    #[test]
    fn sizes_are_those_of_the_tuple() {
        assert_eq!(Axpy::SIZES, [4, 8, 8, 8]);
        assert!(<()>::SIZES.is_empty());
    }

    #[test]
    fn addresses_point_to_the_arguments_in_order() {
        let args = (7u32, 1.5f32, u64::MAX);
        args.with_addresses(|addresses| {
            assert_eq!(addresses.len(), 3);
            // SAFETY: the addresses are those of `args`, which is alive.
            unsafe {
                assert_eq!(*addresses[0].cast::<u32>(), 7);
                assert_eq!(*addresses[1].cast::<f32>(), 1.5);
                assert_eq!(*addresses[2].cast::<u64>(), u64::MAX);
            }
        });
    }

    #[test]
    fn other_parameters_are_told_apart() {
        let compare = |parameters: &[usize]| compare_signature(parameters.iter().copied(), Axpy::SIZES);
        assert_eq!(compare(&[4, 8, 8, 8]), Ok(()));
        assert_eq!(compare(&[4, 8, 8]), Err("it has 3 parameters, not 4".into()));
        assert_eq!(compare(&[4, 8, 8, 4]), Err("parameter 3 has 4 bytes, the argument has 8".into()));
    }

    #[test]
    fn a_cluster_reaches_the_driver_as_its_attribute() {
        let attribute = cluster_attribute((2, 3, 4).into());
        // SAFETY: `clusterDim` is what was written.
        let cluster = unsafe { attribute.value.clusterDim };
        assert_eq!((cluster.x, cluster.y, cluster.z), (2, 3, 4));
    }
}
