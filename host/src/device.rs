//! A device and its primary context.

use std::ffi::{CStr, c_int};
use std::fmt;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cudarc::driver::sys::{self, CUcontext, CUdevice, CUdevice_attribute as Attribute, CUresult};

use crate::error::check;
use crate::{Dim3, Error, Result};

/// The version that brings `cuEventElapsedTime_v2`, the newest function that this crate calls.
const OLDEST_DRIVER: DriverVersion = DriverVersion::from_number(12080);

/// A CUDA device and its primary context. Clones share both.
#[derive(Clone)]
pub struct Device {
    inner: Arc<Inner>,
}

struct Inner {
    device: CUdevice,
    context: CUcontext,
    info: DeviceInfo,
    /// Set while work on the device is known to hang. Then drops leak their memory instead of waiting.
    hung: AtomicBool,
}

// SAFETY: any thread may call the driver's API; `bind` makes the context current before each use.
unsafe impl Send for Inner {}
// SAFETY: as for `Send`; only the atomic `hung` changes behind `&Inner`.
unsafe impl Sync for Inner {}

/// Properties of a device, as the driver reports them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// Product name.
    pub name: String,
    /// CUDA version that the driver supports.
    pub driver: DriverVersion,
    /// Compute capability, major and minor: `(9, 0)` for `sm_90`.
    pub compute_capability: (u32, u32),
    /// Number of streaming multiprocessors (SMs).
    pub multiprocessors: u32,
    /// Size of the L2 cache in bytes.
    pub l2_bytes: usize,
    /// Size of global memory in bytes.
    pub memory_bytes: usize,
    /// Maximum shared memory of a thread block, static and dynamic together, in bytes. A kernel must opt in to it.
    pub max_shared_bytes: u32,
    /// Maximum threads per thread block.
    pub max_threads: u32,
    /// Maximum extents of a thread block.
    pub max_block: Dim3,
    /// Maximum extents of a grid.
    pub max_grid: Dim3,
    /// True if the device can launch clusters of thread blocks.
    pub clusters: bool,
}

/// A CUDA version that a driver supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct DriverVersion(u32);

impl DriverVersion {
    /// Converts the driver's number: 13000 is CUDA 13.0.
    #[must_use]
    pub const fn from_number(number: u32) -> Self {
        Self(number)
    }

    /// Returns the major version.
    #[must_use]
    pub const fn major(self) -> u32 {
        self.0 / 1000
    }

    /// Returns the minor version.
    #[must_use]
    pub const fn minor(self) -> u32 {
        self.0 % 1000 / 10
    }
}

impl fmt::Display for DriverVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major(), self.minor())
    }
}

impl Device {
    /// Opens device `ordinal` and retains its primary context.
    ///
    /// # Errors
    ///
    /// [`Error::NoDriver`], [`Error::NoDevice`] or [`Error::DriverTooOld`], according to what the machine lacks.
    pub fn open(ordinal: usize) -> Result<Self> {
        let driver = init(ordinal)?;
        let device = find(ordinal)?;
        let info = DeviceInfo::query(device, driver)?;
        let mut context = ptr::null_mut();
        // SAFETY: `context` is valid for a write, and the driver gave `device`.
        check(unsafe { sys::cuDevicePrimaryCtxRetain(&mut context, device) }, || {
            format!("retaining the primary context of {}", info.name)
        })?;
        Ok(Self { inner: Arc::new(Inner { device, context, info, hung: AtomicBool::new(false) }) })
    }

    /// Returns the properties of the device.
    #[must_use]
    pub fn info(&self) -> &DeviceInfo {
        &self.inner.info
    }

    /// Makes the context current on this thread. Every call into the driver needs a current context.
    pub(crate) fn bind(&self) -> Result<()> {
        // SAFETY: `inner` retains the context as long as it lives.
        check(unsafe { sys::cuCtxSetCurrent(self.inner.context) }, || {
            format!("making the context current of {}", self.inner.info.name)
        })
    }

    pub(crate) fn set_hung(&self, hung: bool) {
        self.inner.hung.store(hung, Ordering::Relaxed);
    }

    /// Waits for all work on the device, so that memory which the work uses can be freed. Returns false if the work hangs or has
    /// failed: then the caller must leak the memory.
    pub(crate) fn settle(&self) -> bool {
        if self.inner.hung.load(Ordering::Relaxed) || self.bind().is_err() {
            return false;
        }
        // SAFETY: `bind` made the context current.
        unsafe { sys::cuCtxSynchronize() == CUresult::CUDA_SUCCESS }
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Device").field(&self.inner.info).finish()
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if !*self.hung.get_mut() {
            // SAFETY: `open` retained the context once. A failure is ignored: a drop cannot report it.
            let _ = unsafe { sys::cuDevicePrimaryCtxRelease_v2(self.device) };
        }
    }
}

/// Loads and initialises the driver.
fn init(ordinal: usize) -> Result<DriverVersion> {
    // Comes first: cudarc panics at the first call if the library is missing.
    // SAFETY: this call opens and closes the driver's library, and does nothing else.
    if !unsafe { sys::is_culib_present() } {
        return Err(Error::NoDriver { reason: "libcuda.so.1 cannot be loaded".into() });
    }
    let mut number = 0;
    // SAFETY: `number` is valid for a write. The call is legal before `cuInit`.
    check(unsafe { sys::cuDriverGetVersion(&mut number) }, || "reading the driver's version".into())?;
    let driver = DriverVersion(number.unsigned_abs());
    // SAFETY: 0 is the only legal flag.
    match unsafe { sys::cuInit(0) } {
        CUresult::CUDA_ERROR_NO_DEVICE => return Err(Error::NoDevice { ordinal, count: 0 }),
        CUresult::CUDA_ERROR_STUB_LIBRARY => {
            return Err(Error::NoDriver { reason: "the libcuda found is the toolkit's stub".into() });
        }
        result => check(result, || "initialising the driver".into())?,
    }
    if driver < OLDEST_DRIVER {
        return Err(Error::DriverTooOld { found: driver, needed: OLDEST_DRIVER });
    }
    Ok(driver)
}

fn find(ordinal: usize) -> Result<CUdevice> {
    let mut count = 0;
    // SAFETY: `count` is valid for a write.
    check(unsafe { sys::cuDeviceGetCount(&mut count) }, || "counting the devices".into())?;
    let missing = Error::NoDevice { ordinal, count: count.unsigned_abs() as usize };
    let Some(number) = c_int::try_from(ordinal).ok().filter(|&number| number < count) else {
        return Err(missing);
    };
    let mut device = 0;
    // SAFETY: `device` is valid for a write, and `number` is below the device count.
    check(unsafe { sys::cuDeviceGet(&mut device, number) }, || format!("opening device {number}"))?;
    Ok(device)
}

impl DeviceInfo {
    fn query(device: CUdevice, driver: DriverVersion) -> Result<Self> {
        use Attribute::*;
        let get = |attribute| attribute_of(device, attribute);
        Ok(Self {
            name: name_of(device)?,
            driver,
            compute_capability: (
                get(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
                get(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
            ),
            multiprocessors: get(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
            l2_bytes: get(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)? as usize,
            memory_bytes: memory_of(device)?,
            max_shared_bytes: get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
            max_threads: get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            max_block: Dim3 {
                x: get(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)?,
                y: get(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y)?,
                z: get(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)?,
            },
            max_grid: Dim3 {
                x: get(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)?,
                y: get(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)?,
                z: get(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)?,
            },
            clusters: get(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH)? != 0,
        })
    }
}

fn attribute_of(device: CUdevice, attribute: Attribute) -> Result<u32> {
    let mut value = 0;
    // SAFETY: `value` is valid for a write, and the driver gave `device`.
    let result = unsafe { sys::cuDeviceGetAttribute(&mut value, attribute, device) };
    check(result, || format!("reading {attribute:?}"))?;
    Ok(value.unsigned_abs())
}

fn name_of(device: CUdevice) -> Result<String> {
    let mut name = [0u8; 256];
    // SAFETY: the driver writes at most `name.len()` bytes.
    let result = unsafe { sys::cuDeviceGetName(name.as_mut_ptr().cast(), name.len() as c_int, device) };
    check(result, || "reading the device's name".into())?;
    let name = CStr::from_bytes_until_nul(&name).unwrap_or_default();
    Ok(name.to_string_lossy().into_owned())
}

fn memory_of(device: CUdevice) -> Result<usize> {
    let mut bytes = 0;
    // SAFETY: `bytes` is valid for a write, and the driver gave `device`.
    let result = unsafe { sys::cuDeviceTotalMem_v2(&mut bytes, device) };
    check(result, || "reading the size of the device's memory".into())?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_read_as_cuda_writes_them() {
        assert_eq!(DriverVersion::from_number(13000).to_string(), "13.0");
        assert_eq!(DriverVersion::from_number(12080).to_string(), "12.8");
        assert!(DriverVersion::from_number(12040) < OLDEST_DRIVER);
    }

    /// Passes with and without a GPU: no machine has device 4096.
    #[test]
    fn a_missing_device_is_an_error_that_says_so() {
        let error = Device::open(4096).unwrap_err();
        assert!(error.is_no_gpu(), "{error}");
        let shown = error.to_string();
        assert!(shown.starts_with("no CUDA driver:") || shown.starts_with("no CUDA device 4096:"), "{shown}");
    }
}
