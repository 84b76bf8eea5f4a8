//! Graphs: work that a stream has recorded, to be put on a stream at once.

use std::fmt;
use std::ptr;
use std::sync::Arc;

use cudarc::driver::sys::{self, CUgraph, CUgraphExec, CUstreamCaptureMode};

use crate::error::check;
use crate::{Device, Error, Result, Stream};

/// Work that [`Stream::capture`] has recorded. Its kernels follow each other without the host.
pub struct Graph {
    device: Device,
    handle: CUgraphExec,
    /// What to name when the work fails or hangs.
    last_kernel: Option<Arc<str>>,
}

// SAFETY: the driver's API may be called from any thread; the context is bound before each use.
unsafe impl Send for Graph {}

impl Stream {
    /// Records what `work` puts on this stream, and runs none of it. `work` does nothing else with the device: no synchronous copy, no
    /// allocation, no wait.
    ///
    /// # Errors
    ///
    /// What `work` gives; [`Error::Cuda`] if it has done what the driver does not record.
    pub fn capture<E: From<Error>>(&self, work: impl FnOnce() -> Result<(), E>) -> Result<Graph, E> {
        let device = self.device();
        device.bind()?;
        // SAFETY: the stream lives. Other threads' work goes on meanwhile.
        let begun = unsafe {
            sys::cuStreamBeginCapture_v2(
                self.handle(),
                CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
            )
        };
        check(begun, || "recording a stream".into())?;
        let done = work();
        let mut recorded = Recorded(ptr::null_mut());
        // SAFETY: recording has begun above, and `recorded` is a valid place. It ends whatever came of `work`.
        let ended = unsafe { sys::cuStreamEndCapture(self.handle(), &mut recorded.0) };
        done?;
        check(ended, || format!("recording {}", self.work()))?;
        let mut handle = ptr::null_mut();
        // SAFETY: `handle` is a valid place, and `recorded` a graph.
        check(unsafe { sys::cuGraphInstantiateWithFlags(&mut handle, recorded.0, 0) }, || {
            "making a graph".into()
        })?;
        Ok(Graph { device: device.clone(), handle, last_kernel: self.last_kernel() })
    }
}

/// What the driver has recorded, before it can be launched.
struct Recorded(CUgraph);

impl Drop for Recorded {
    fn drop(&mut self) {
        if !self.0.is_null() {
            // SAFETY: made by `cuStreamEndCapture`, and used nowhere else.
            let _ = unsafe { sys::cuGraphDestroy(self.0) };
        }
    }
}

impl Graph {
    /// Puts the recorded work on a stream. It runs after what was put there before; wait for it with [`Stream::wait`].
    ///
    /// # Errors
    ///
    /// [`Error::Cuda`].
    ///
    /// # Safety
    ///
    /// Each recorded launch may be made now, see [`Kernel::launch`](crate::Kernel::launch). The modules of its kernels are loaded, and
    /// every buffer that a recorded copy reads or writes lives and is not used otherwise.
    pub unsafe fn launch(&self, stream: &Stream) -> Result<()> {
        self.device.bind()?;
        // SAFETY: graph and stream live, in the same context; the rest is the caller's contract.
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
            // SAFETY: made once, in `capture`. The driver lets launches of it end first.
            let _ = unsafe { sys::cuGraphExecDestroy(self.handle) };
        }
    }
}
