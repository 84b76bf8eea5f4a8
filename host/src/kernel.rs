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

/// Shared memory that a kernel may use without opting in, in bytes, static and dynamic together.
const SHARED_WITHOUT_OPT_IN: u32 = 48 * 1024;

mod sealed {
    pub trait Arg {}
    pub trait Args {}
}

/// A type that can be one argument of a kernel: plain data, passed bit for bit.
///
/// # Safety
///
/// Size and bits of the type are those of the kernel's parameter. Sealed.
pub unsafe trait KernelArg: Copy + sealed::Arg {}

macro_rules! kernel_arg {
    ($($ty:ty),*) => {$(
        impl sealed::Arg for $ty {}
        // SAFETY: a scalar has the same size and bits on host and device. `usize` is an argument only where it has 64 bits.
        unsafe impl KernelArg for $ty {}
    )*};
}
kernel_arg!(f32, f64, i32, u32, i64, u64);
#[cfg(target_pointer_width = "64")]
kernel_arg!(usize);

impl<T: Pod> sealed::Arg for DevicePtr<T> {}
// SAFETY: `DevicePtr` is `repr(transparent)` over a 64-bit device address.
unsafe impl<T: Pod> KernelArg for DevicePtr<T> {}

/// The arguments of a kernel: a tuple of up to twelve [`KernelArg`]s.
///
/// # Safety
///
/// `with_addresses` passes the addresses of values whose sizes are `SIZES`, in the same order. Sealed.
pub unsafe trait KernelArgs: sealed::Args {
    /// Sizes of the arguments in bytes.
    const SIZES: &'static [usize];

    /// Calls `f` with the addresses of the arguments and returns its result.
    fn with_addresses<R>(&self, f: impl FnOnce(&mut [*mut c_void]) -> R) -> R;
}

macro_rules! kernel_args {
    ($($ty:ident),*) => {
        impl<$($ty: KernelArg),*> sealed::Args for ($($ty,)*) {}
        // SAFETY: sizes and addresses both follow the order of the type parameters.
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
/// [`Module::kernel`] compares the number and sizes of the parameters with the module, so finding a kernel is safe. A module
/// does not say which memory a pointer must point to, so [`launch`](Self::launch) is `unsafe`. Write one safe host function
/// per kernel, which checks lengths and alignment and then calls `launch`.
pub struct Kernel<A> {
    function: CUfunction,
    module: Module,
    /// Names of kernel and module, for messages.
    label: Arc<str>,
    limits: Limits,
    registers: u32,
    static_shared_bytes: u32,
    local_bytes: u32,
    /// Dynamic shared memory that the function may use so far, in bytes.
    allowed_shared: AtomicU32,
    args: PhantomData<fn(A)>,
}

// SAFETY: any thread may use a function handle, and `module` keeps the handle valid.
unsafe impl<A> Send for Kernel<A> {}
// SAFETY: as for `Send`; only the atomic `allowed_shared` changes behind `&Kernel`.
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

    /// Puts the kernel on `stream`, after the work that is on `stream` already. Wait for it with [`Stream::wait`].
    ///
    /// # Errors
    ///
    /// [`Error::Launch`] if the device cannot run this shape; [`Error::Cuda`] if the driver refuses the launch.
    ///
    /// # Safety
    ///
    /// 1. Each argument has the type of the kernel's parameter.
    /// 2. The kernel may be called with these values: every pointer is valid for the kernel's accesses through it.
    ///
    /// Buffers of this crate may be dropped while the kernel runs: the drop waits for the device.
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
            // SAFETY: configuration and attributes outlive the call. `Kernel::new` compared the sizes of the arguments with those
            // of the parameters, and the values are legal: `# Safety`.
            unsafe { sys::cuLaunchKernelEx(&config, function, addresses.as_mut_ptr(), std::ptr::null_mut()) }
        });
        check(result, || format!("launching kernel {}", self.label))?;
        stream.note_launch(&self.label);
        Ok(())
    }

    /// Opts the function in to `bytes` bytes of dynamic shared memory.
    fn allow_shared(&self, bytes: u32) -> Result<()> {
        if bytes > self.allowed_shared.load(Ordering::Relaxed) {
            self.set(Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes)?;
            self.allowed_shared.fetch_max(bytes, Ordering::Relaxed);
        }
        Ok(())
    }

    fn set(&self, attribute: Attribute, value: u32) -> Result<()> {
        // SAFETY: `module` keeps the function loaded, and the context is current. Every value set here fits an `i32`.
        check(unsafe { sys::cuFuncSetAttribute(self.function, attribute, value as i32) }, || {
            format!("setting {attribute:?} of kernel {} to {value}", self.label)
        })
    }
}

impl<A> Kernel<A> {
    /// Returns the number of registers per thread.
    #[must_use]
    pub fn registers(&self) -> u32 {
        self.registers
    }

    /// Returns the static shared memory per thread block, in bytes.
    #[must_use]
    pub fn static_shared_bytes(&self) -> u32 {
        self.static_shared_bytes
    }

    /// Returns the local memory per thread (stack and spills), in bytes.
    #[must_use]
    pub fn local_bytes(&self) -> u32 {
        self.local_bytes
    }

    /// Returns the maximum dynamic shared memory that the kernel can be launched with, in bytes.
    #[must_use]
    pub fn max_dynamic_shared_bytes(&self) -> u32 {
        self.limits.dynamic_shared_bytes
    }

    /// Returns the module that contains the kernel.
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
    // SAFETY: `value` is valid for a write, and the function's module is loaded.
    let result = unsafe { sys::cuFuncGetAttribute(&mut value, attribute, function) };
    check(result, || format!("reading {attribute:?} of kernel {label}"))?;
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

/// Returns the size of parameter `index`, or `None` past the last parameter.
fn parameter_size(function: CUfunction, index: usize) -> Option<usize> {
    let (mut offset, mut size) = (0, 0);
    // SAFETY: `offset` and `size` are valid for writes, and the function's module is loaded.
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
        // SAFETY: `cluster_attribute` wrote the field `clusterDim`.
        let cluster = unsafe { attribute.value.clusterDim };
        assert_eq!((cluster.x, cluster.y, cluster.z), (2, 3, 4));
    }
}
