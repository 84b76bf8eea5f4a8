//! CUDA graphs: work captured from a stream, launched as a whole.

use std::fmt;
use std::ptr;
use std::sync::Arc;

use cudarc::driver::sys::{self, CUgraph, CUgraphExec, CUstreamCaptureMode};

use crate::error::check;
use crate::{Device, Error, Result, Stream};

/// A captured CUDA graph, from [`Stream::capture`]. Its kernels run one after the other without the host.
pub struct Graph {
    device: Device,
    handle: CUgraphExec,
    /// The kernel to name when the work fails or hangs.
    last_kernel: Option<Arc<str>>,
}

// SAFETY: any thread may call the driver's API; `bind` makes the context current before each use.
unsafe impl Send for Graph {}

impl Stream {
    /// Captures the work that `work` puts on this stream as a [`Graph`]; the work does not run. `work` must not use the device in
    /// another way: no synchronous copy, no allocation, no wait.
    ///
    /// # Errors
    ///
    /// The error of `work`; [`Error::Cuda`] if `work` did something that the driver cannot capture.
    pub fn capture<E: From<Error>>(&self, work: impl FnOnce() -> Result<(), E>) -> Result<Graph, E> {
        let device = self.device();
        device.bind()?;
        // SAFETY: the stream lives. `THREAD_LOCAL`: the capture does not restrict other threads.
        let begun = unsafe {
            sys::cuStreamBeginCapture_v2(
                self.handle(),
                CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
            )
        };
        check(begun, || "starting the capture of a stream".into())?;
        let done = work();
        let mut recorded = Recorded(ptr::null_mut());
        // SAFETY: the capture has begun, and `recorded.0` is valid for a write. The capture ends even if `work` failed.
        let ended = unsafe { sys::cuStreamEndCapture(self.handle(), &mut recorded.0) };
        done?;
        check(ended, || format!("capturing {}", self.work()))?;
        let mut handle = ptr::null_mut();
        // SAFETY: `handle` is valid for a write, and `recorded.0` is a graph: the capture succeeded.
        check(unsafe { sys::cuGraphInstantiateWithFlags(&mut handle, recorded.0, 0) }, || {
            "instantiating a graph".into()
        })?;
        Ok(Graph { device: device.clone(), handle, last_kernel: self.last_kernel() })
    }
}

/// A captured graph (`CUgraph`), not yet instantiated.
struct Recorded(CUgraph);

impl Drop for Recorded {
    fn drop(&mut self) {
        if !self.0.is_null() {
            // SAFETY: `cuStreamEndCapture` made the graph, and only this drop destroys it.
            let _ = unsafe { sys::cuGraphDestroy(self.0) };
        }
    }
}

impl Graph {
    /// Puts the captured work on `stream`, after the work that is on `stream` already. Wait for it with [`Stream::wait`].
    ///
    /// # Errors
    ///
    /// [`Error::Cuda`] if the driver refuses the launch.
    ///
    /// # Safety
    ///
    /// 1. The `# Safety` section of [`Kernel::launch`](crate::Kernel::launch) holds now for each captured launch.
    /// 2. The modules of the captured kernels are still loaded.
    /// 3. Every buffer that a captured copy reads or writes still lives, and nothing else uses the buffer until the copy is done.
    pub unsafe fn launch(&self, stream: &Stream) -> Result<()> {
        self.device.bind()?;
        // SAFETY: graph and stream live, in the same context; the captured work is legal: `# Safety`.
        check(unsafe { sys::cuGraphLaunch(self.handle, stream.handle()) }, || "launching a graph".into())?;
        if let Some(kernel) = &self.last_kernel {
            stream.note_launch(kernel);
        }
        Ok(())
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Graph({:?})", self.handle)
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        if self.device.bind().is_ok() {
            // SAFETY: `capture` made the graph, and only this drop destroys it. The driver keeps it until its launches are done.
            let _ = unsafe { sys::cuGraphExecDestroy(self.handle) };
        }
    }
}
