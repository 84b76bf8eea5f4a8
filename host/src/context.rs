//! Opens a device, and waits for its streams with a timeout.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use cudarc::driver::sys::{self, CUresult};
use cudarc::driver::{CudaContext, CudaStream};

use crate::error::check;
use crate::{Error, Result};

/// The CUDA version that brings `cuEventElapsedTime_v2`, the newest function that this crate and `cudarc` call.
const OLDEST_DRIVER: (u32, u32) = (12, 8);

/// True while work is known to hang: modules then leak instead of waiting for their kernels.
static HUNG: AtomicBool = AtomicBool::new(false);

/// The last kernel launched on each stream, by the addresses of context and stream.
static LAST_KERNELS: Mutex<BTreeMap<(usize, usize), Arc<str>>> = Mutex::new(BTreeMap::new());

/// Opens device `ordinal`: retains its primary context.
///
/// ```no_run
/// let stream = ptx_host::open(0)?.default_stream();
/// # Ok::<(), ptx_host::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::NoDriver`], [`Error::NoDevice`] or [`Error::DriverTooOld`], according to what the machine lacks.
pub fn open(ordinal: usize) -> Result<Arc<CudaContext>> {
    let driver = driver_version()?;
    let count = match CudaContext::device_count() {
        Err(error) if error.0 == CUresult::CUDA_ERROR_NO_DEVICE => 0,
        Err(error) if error.0 == CUresult::CUDA_ERROR_STUB_LIBRARY => {
            return Err(Error::NoDriver { reason: "the libcuda found is the toolkit's stub".into() });
        }
        result => check(result, || "counting the devices".into())?.unsigned_abs() as usize,
    };
    if ordinal >= count {
        return Err(Error::NoDevice { ordinal, count });
    }
    if driver < OLDEST_DRIVER {
        return Err(Error::DriverTooOld { found: driver, needed: OLDEST_DRIVER });
    }
    check(CudaContext::new(ordinal), || format!("opening device {ordinal}"))
}

/// Returns the CUDA version that the driver supports, major and minor (`cuDriverGetVersion`).
///
/// # Errors
///
/// [`Error::NoDriver`] if the machine has no `libcuda`.
pub fn driver_version() -> Result<(u32, u32)> {
    // cudarc panics at the first call if the library is missing.
    // SAFETY: this call opens and closes the driver's library, and does nothing else.
    if !unsafe { sys::is_culib_present() } {
        return Err(Error::NoDriver { reason: "libcuda.so.1 cannot be loaded".into() });
    }
    let mut number = 0;
    // SAFETY: `number` is valid for a write. The call is legal before `cuInit`.
    let result = unsafe { sys::cuDriverGetVersion(&mut number) }.result();
    check(result, || "reading the driver's version".into())?;
    // 13020 is CUDA 13.2.
    Ok((number.unsigned_abs() / 1000, number.unsigned_abs() % 1000 / 10))
}

/// Waits until all work on `stream` is done, for `timeout` at most.
///
/// ```no_run
/// # let stream = ptx_host::open(0)?.default_stream();
/// ptx_host::wait(&stream, std::time::Duration::from_secs(10))?;
/// # Ok::<(), ptx_host::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::Timeout`] names the last kernel launched on the stream; [`Error::Cuda`] also says how the work failed.
pub fn wait(stream: &CudaStream, timeout: Duration) -> Result<()> {
    let kernel = last_kernels(|kernels| kernels.get(&key(stream)).cloned());
    let work = || kernel.as_ref().map_or("the stream's work".into(), |kernel| format!("kernel {kernel}"));
    check(stream.context().bind_to_thread(), || format!("waiting for {}", work()))?;
    // SAFETY: the stream lives, and its context is current.
    let ended = poll(timeout, || unsafe { sys::cuStreamQuery(stream.cu_stream()) });
    HUNG.store(ended.is_none(), Ordering::Relaxed);
    match ended {
        Some(result) => check(result.result(), || format!("running {}", work())),
        None => Err(Error::Timeout { work: work(), after: timeout }),
    }
}

/// Notes the kernel to name when the work on `stream` fails or hangs.
pub(crate) fn note_launch(stream: &CudaStream, kernel: &Arc<str>) {
    last_kernels(|kernels| kernels.insert(key(stream), kernel.clone()));
}

/// Waits for all work of the context. Returns false if the work hangs or has failed: then everything that it may use must leak.
pub(crate) fn settle(context: &CudaContext) -> bool {
    !HUNG.load(Ordering::Relaxed) && context.synchronize().is_ok()
}

fn last_kernels<R>(use_them: impl FnOnce(&mut BTreeMap<(usize, usize), Arc<str>>) -> R) -> R {
    use_them(&mut LAST_KERNELS.lock().unwrap_or_else(PoisonError::into_inner))
}

fn key(stream: &CudaStream) -> (usize, usize) {
    (stream.context().cu_ctx().addr(), stream.cu_stream().addr())
}

/// Calls `query` until the work has ended; returns `None` after `timeout`.
fn poll(timeout: Duration, mut query: impl FnMut() -> CUresult) -> Option<CUresult> {
    const BUSY: Duration = Duration::from_millis(1);
    const PAUSE: Duration = Duration::from_micros(100);
    let start = Instant::now();
    loop {
        let result = query();
        if result != CUresult::CUDA_ERROR_NOT_READY {
            return Some(result);
        }
        let waited = start.elapsed();
        if waited >= timeout {
            return None;
        }
        if waited < BUSY { std::thread::yield_now() } else { std::thread::sleep(PAUSE) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_waited_for_until_it_ends_fails_or_takes_too_long() {
        const LONG: Duration = Duration::from_secs(60);
        let mut asked = 0;
        let result = poll(LONG, || {
            asked += 1;
            if asked < 5 { CUresult::CUDA_ERROR_NOT_READY } else { CUresult::CUDA_SUCCESS }
        });
        assert_eq!((result, asked), (Some(CUresult::CUDA_SUCCESS), 5));
        let failed = CUresult::CUDA_ERROR_ILLEGAL_ADDRESS;
        assert_eq!(poll(LONG, || failed), Some(failed));
        assert_eq!(poll(Duration::ZERO, || CUresult::CUDA_SUCCESS), Some(CUresult::CUDA_SUCCESS));
        let start = Instant::now();
        assert_eq!(poll(Duration::from_millis(20), || CUresult::CUDA_ERROR_NOT_READY), None);
        assert!(start.elapsed() >= Duration::from_millis(20));
    }
}
