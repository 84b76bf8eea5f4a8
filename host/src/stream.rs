//! Streams, events, and waits with a timeout.

use std::fmt;
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use cudarc::driver::sys::{self, CUevent, CUresult, CUstream};

use crate::error::check;
use crate::{Device, Error, Result};

/// A queue of work on a device (`cudaStream_t`). The work runs in order.
pub struct Stream {
    device: Device,
    handle: CUstream,
    /// The kernel to name when the work fails or hangs.
    last_kernel: Mutex<Option<Arc<str>>>,
}

// SAFETY: any thread may call the driver's API; `bind` makes the context current before each use.
unsafe impl Send for Stream {}
// SAFETY: as for `Send`; a lock guards `last_kernel`, and nothing else changes.
unsafe impl Sync for Stream {}

impl Stream {
    /// Creates a stream. The synchronous copies of this crate run after all work that is on the stream.
    ///
    /// # Errors
    ///
    /// [`Error::Cuda`] if the driver fails.
    pub fn new(device: &Device) -> Result<Self> {
        device.bind()?;
        let mut handle = ptr::null_mut();
        // SAFETY: `handle` is valid for a write, and a context is current. Flag 0 orders the stream with the default stream.
        check(unsafe { sys::cuStreamCreate(&mut handle, 0) }, || "creating a stream".into())?;
        Ok(Self { device: device.clone(), handle, last_kernel: Mutex::default() })
    }

    /// Waits until all work on the stream is done, for `timeout` at most.
    ///
    /// # Errors
    ///
    /// [`Error::Timeout`] names the last kernel put on the stream; [`Error::Cuda`] reports how the work failed.
    pub fn wait(&self, timeout: Duration) -> Result<()> {
        // SAFETY: the stream lives, and `poll` binds its context.
        self.poll(timeout, || unsafe { sys::cuStreamQuery(self.handle) })
    }

    fn poll(&self, timeout: Duration, query: impl FnMut() -> CUresult) -> Result<()> {
        self.device.bind()?;
        match poll(timeout, query) {
            Some(result) => {
                self.device.set_hung(false);
                check(result, || format!("running {}", self.work()))
            }
            None => {
                self.device.set_hung(true);
                Err(Error::Timeout { kernel: self.work(), after: timeout })
            }
        }
    }

    pub(crate) fn work(&self) -> String {
        match self.last_kernel() {
            Some(kernel) => format!("kernel {kernel}"),
            None => "the stream's copies".into(),
        }
    }

    pub(crate) fn last_kernel(&self) -> Option<Arc<str>> {
        self.last_kernel.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn device(&self) -> &Device {
        &self.device
    }

    pub(crate) fn note_launch(&self, kernel: &Arc<str>) {
        *self.last_kernel.lock().unwrap_or_else(PoisonError::into_inner) = Some(kernel.clone());
    }

    pub(crate) fn handle(&self) -> CUstream {
        self.handle
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream({:?})", self.handle)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if self.device.bind().is_ok() {
            // SAFETY: `new` created the stream, and only this drop destroys it. The driver completes the stream's work first.
            let _ = unsafe { sys::cuStreamDestroy_v2(self.handle) };
        }
    }
}

/// A timestamp on a stream (`cudaEvent_t`).
pub struct Event {
    device: Device,
    handle: CUevent,
}

// SAFETY: any thread may call the driver's API; `bind` makes the context current before each use.
unsafe impl Send for Event {}
// SAFETY: as for `Send`; nothing changes behind `&Event`.
unsafe impl Sync for Event {}

impl Event {
    /// Puts a new event on `stream`, after all work that is on the stream.
    ///
    /// # Errors
    ///
    /// [`Error::Cuda`] if the driver fails.
    pub fn record(stream: &Stream) -> Result<Self> {
        stream.device.bind()?;
        let mut handle = ptr::null_mut();
        // SAFETY: `handle` is valid for a write, and a context is current. Flag 0: the event takes the time.
        check(unsafe { sys::cuEventCreate(&mut handle, 0) }, || "creating an event".into())?;
        let event = Self { device: stream.device.clone(), handle };
        // SAFETY: event and stream live, in the same context.
        check(unsafe { sys::cuEventRecord(handle, stream.handle) }, || "recording an event".into())?;
        Ok(event)
    }

    /// Waits until the stream reaches the event, for `timeout` at most. `stream` is the stream given to [`record`](Self::record).
    ///
    /// # Errors
    ///
    /// As [`Stream::wait`].
    pub fn wait(&self, stream: &Stream, timeout: Duration) -> Result<()> {
        // SAFETY: the event lives, and `poll` binds its context.
        stream.poll(timeout, || unsafe { sys::cuEventQuery(self.handle) })
    }

    /// Returns the time from `earlier` to this event, with a resolution of half a microsecond. Wait for both events first.
    ///
    /// # Errors
    ///
    /// [`Error::Cuda`] with `CUDA_ERROR_NOT_READY` if the stream has not reached both events.
    pub fn since(&self, earlier: &Self) -> Result<Duration> {
        self.device.bind()?;
        let mut milliseconds = 0f32;
        // SAFETY: `milliseconds` is valid for a write, and both events live.
        let result = unsafe { sys::cuEventElapsedTime_v2(&mut milliseconds, earlier.handle, self.handle) };
        check(result, || "measuring the time between two events".into())?;
        Ok(Duration::try_from_secs_f64(f64::from(milliseconds) / 1000.0).unwrap_or_default())
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Event({:?})", self.handle)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if self.device.bind().is_ok() {
            // SAFETY: `record` created the event, and only this drop destroys it. The driver keeps it while a stream needs it.
            let _ = unsafe { sys::cuEventDestroy_v2(self.handle) };
        }
    }
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
    fn work_that_ends_is_waited_for() {
        let mut asked = 0;
        let result = poll(Duration::from_secs(60), || {
            asked += 1;
            if asked < 5 { CUresult::CUDA_ERROR_NOT_READY } else { CUresult::CUDA_SUCCESS }
        });
        assert_eq!((result, asked), (Some(CUresult::CUDA_SUCCESS), 5));
    }

    #[test]
    fn a_failure_ends_the_wait() {
        let failed = CUresult::CUDA_ERROR_ILLEGAL_ADDRESS;
        assert_eq!(poll(Duration::from_secs(60), || failed), Some(failed));
    }

    #[test]
    fn work_that_never_ends_is_given_up() {
        let start = Instant::now();
        assert_eq!(poll(Duration::from_millis(20), || CUresult::CUDA_ERROR_NOT_READY), None);
        assert!(start.elapsed() >= Duration::from_millis(20));
    }

    #[test]
    fn a_timeout_of_zero_still_asks_once() {
        assert_eq!(poll(Duration::ZERO, || CUresult::CUDA_SUCCESS), Some(CUresult::CUDA_SUCCESS));
    }
}
