//! The work of streams: done at once, or recorded for a graph.

use cudarc::driver::sys::CUresult::*;

use crate::boundary::{In, Result, fail};
use crate::driver::{Driver, Handle, Launch, Work};
use crate::launch::Request;

impl Driver {
    /// Checks a launch, and runs it or records it for a graph.
    pub fn launch(
        &mut self,
        function: Handle,
        request: &Request,
        values: In<In<u8>>,
        extra: In<usize>,
    ) -> Result {
        let (_, context) = self.stream(request.stream)?;
        let of = self.functions.get(function)?;
        if self.modules.get(of.module)?.context != context {
            return fail(CUDA_ERROR_INVALID_HANDLE, "the kernel and the stream are of different contexts");
        }
        let cluster = of.accept(request)?;
        let params = of.parameters(values, extra)?;
        let Request { grid, block, dynamic_shared, cooperative, programmatic, .. } = *request;
        let shape =
            ptx_emu::Launch { grid, block, cluster, dynamic_shared, programmatic, cooperative, params };
        self.submit(request.stream, Work::Launch(Launch { function, shape }))
    }

    /// Does work now, or records it if the stream is captured.
    pub fn submit(&mut self, stream: Handle, work: Work) -> Result {
        let (key, context) = self.stream(stream)?;
        match self.captured.get(&key) {
            Some(capture) => {
                self.captures.get_mut(*capture)?.work.push(work);
                Ok(())
            }
            None => self.perform(context, stream, work),
        }
    }

    fn perform(&mut self, context: Handle, stream: Handle, work: Work) -> Result {
        let running = self.running.take();
        match work {
            Work::Launch(mut launch) => {
                launch.shape.programmatic &= running == Some(stream);
                self.running = Some(stream);
                if let Err(error) = self.run(&launch) {
                    // The launch itself succeeds. The kernel's error makes the context unusable: later calls return it.
                    self.contexts.get_mut(context)?.error = Some(error);
                }
            }
            Work::Copy(copy) => copy.perform(&mut self.device)?,
            Work::Fill(fill) => fill.perform(&mut self.device)?,
            Work::Call(function) => function.run(),
        }
        Ok(())
    }
}
