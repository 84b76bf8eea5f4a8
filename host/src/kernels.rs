//! The kernels of a device crate, for typed launches.

use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaStream};
use ptx::launch::Kernel as Description;

use crate::context::settle;
use crate::error::check;
use crate::{Error, Image, JitOptions, Launcher, Module, Result};

/// The kernels of a device crate, compiled for one or more targets. [`kernels!`](crate::kernels) gives those that `ptx-build` has
/// compiled.
#[derive(Debug, Clone, Copy)]
pub struct Kernels<'a> {
    name: &'a str,
    images: &'a [(&'a str, &'a [u8])],
}

impl<'a> Kernels<'a> {
    /// Makes the set of a device crate's images, each with its target, for typed launches.
    ///
    /// # Safety
    ///
    /// The images are the PTX or cubins that `ptx-link` made of a device crate, unchanged.
    #[must_use]
    pub const unsafe fn new(name: &'a str, images: &'a [(&'a str, &'a [u8])]) -> Self {
        Self { name, images }
    }

    /// Loads the image that suits the device of `context`.
    ///
    /// # Errors
    ///
    /// As [`Module::from_images`].
    pub fn load(&self, context: &Arc<CudaContext>) -> Result<LoadedKernels> {
        let images: Vec<_> = self.images.iter().map(|&(target, bytes)| Image { target, bytes }).collect();
        let module = Module::from_images(context, self.name, &images, &JitOptions::default())?;
        Ok(LoadedKernels { module, order: Order::of(context)? })
    }
}

/// The loaded kernels of a device crate.
#[derive(Debug, Clone)]
pub struct LoadedKernels {
    module: Module,
    order: Arc<Order>,
}

/// A stream that makes `cudarc` record events for as long as typed launches may be in flight: `cudarc` does so while the context
/// has a stream of `new_stream`.
#[derive(Debug)]
pub(crate) struct Order(ManuallyDrop<Arc<CudaStream>>);

impl Order {
    fn of(context: &Arc<CudaContext>) -> Result<Arc<Self>> {
        let doing = || "ordering the streams of the context".into();
        let stream = check(context.new_stream(), doing)?;
        // Earlier work has no events, so this call waits for that work.
        check(context.synchronize(), doing)?;
        Ok(Arc::new(Self(ManuallyDrop::new(stream))))
    }
}

impl Drop for Order {
    fn drop(&mut self) {
        // Without events, nothing would wait for work that is still in flight. If that work hangs, the stream stays.
        if settle(self.0.context()) {
            // SAFETY: only this drop takes the stream, and a drop runs once.
            drop(unsafe { ManuallyDrop::take(&mut self.0) });
        }
    }
}

impl LoadedKernels {
    /// Returns the launcher of a kernel: `kernel` is the name of a function with `#[ptx::kernel]`.
    ///
    /// # Errors
    ///
    /// [`Error::Fingerprint`] if the images have no such kernel, or a kernel of another source; [`Error::Cuda`] if the driver
    /// fails.
    pub fn kernel<K: Description>(&self, kernel: K) -> Result<Launcher<K>> {
        let _ = kernel;
        if self.module.word(K::FINGERPRINT)? != Some(K::LAYOUT) {
            return Err(Error::Fingerprint { kernel: K::NAME.into(), module: self.module.name().into() });
        }
        let mut function = self.module.kernel_by_name(K::NAME)?;
        function.order = Some(self.order.clone());
        // SAFETY: the module is a device crate's (`Kernels::new`); name and value of its fingerprint are those of the
        // description.
        Ok(unsafe { Launcher::new(function) })
    }
}

impl Deref for LoadedKernels {
    type Target = Module;

    fn deref(&self) -> &Module {
        &self.module
    }
}
