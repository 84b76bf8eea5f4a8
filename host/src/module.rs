//! Loads modules: PTX and cubins.

use std::ffi::{CString, c_void};
use std::fmt;
use std::path::Path;
use std::ptr;
use std::sync::Arc;

use cudarc::driver::CudaContext;
use cudarc::driver::sys::{
    self, CUdevice_attribute as Attribute, CUfunction, CUjit_option, CUmodule, CUresult,
};

use crate::context::settle;
use crate::error::check;
use crate::image::{loadable, ranked};
use crate::{CudaError, Error, Image, Kernel, Result, driver_version};

const LOG_BYTES: usize = 16 * 1024;

/// A loaded module (`CUmodule`): PTX or a cubin. Clones share the module. The last clone or [`Kernel`] that is dropped waits for
/// all work of the context and unloads the module.
#[derive(Clone)]
pub struct Module {
    inner: Arc<Inner>,
}

struct Inner {
    context: Arc<CudaContext>,
    handle: CUmodule,
    name: String,
    image: Vec<u8>,
}

// SAFETY: any thread may call the driver's API; each use makes the context current before.
unsafe impl Send for Inner {}
// SAFETY: as for `Send`; nothing changes through `&Inner`.
unsafe impl Sync for Inner {}

/// Options of the driver's compiler (`CUjit_option`), which compiles PTX. A cubin is loaded as it is.
///
/// ```no_run
/// # let context = ptx_host::open(0)?;
/// # let ptx = "";
/// use ptx_host::{JitOptions, Module};
/// let options = JitOptions { max_registers: Some(64), ..JitOptions::default() };
/// let module = Module::from_bytes(&context, "scale", ptx, &options)?;
/// # Ok::<(), ptx_host::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct JitOptions {
    /// The most registers per thread (`CU_JIT_MAX_REGISTERS`).
    pub max_registers: Option<u32>,
    /// The optimization level, 0 to 4 (`CU_JIT_OPTIMIZATION_LEVEL`). The driver's default is 4.
    pub optimization_level: Option<u32>,
    /// Keeps the lines of the source for profilers and debuggers (`CU_JIT_GENERATE_LINE_INFO`).
    pub line_info: bool,
}

impl JitOptions {
    /// Gives an image from [`loadable`] to the driver. On failure also returns the log of the driver's compiler.
    fn load_image(&self, image: &[u8]) -> Result<CUmodule, (CudaError, String)> {
        let mut log = vec![0u8; LOG_BYTES];
        // The driver takes an integer in place of a pointer here.
        let integer = |value: usize| ptr::without_provenance_mut::<c_void>(value);
        let mut options = vec![
            (CUjit_option::CU_JIT_ERROR_LOG_BUFFER, log.as_mut_ptr().cast()),
            (CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, integer(LOG_BYTES)),
        ];
        let more = [
            (CUjit_option::CU_JIT_MAX_REGISTERS, self.max_registers),
            (CUjit_option::CU_JIT_OPTIMIZATION_LEVEL, self.optimization_level),
            (CUjit_option::CU_JIT_GENERATE_LINE_INFO, self.line_info.then_some(1)),
        ];
        options
            .extend(more.into_iter().filter_map(|(option, value)| Some((option, integer(value? as usize)))));
        let (mut names, mut values): (Vec<_>, Vec<_>) = options.into_iter().unzip();
        let mut handle = ptr::null_mut();
        // SAFETY: `loadable` made the image whole, and a context is current. Both arrays have `names.len()` entries, of which two
        // describe `log`; `log` outlives the call.
        let result = unsafe {
            sys::cuModuleLoadDataEx(
                &mut handle,
                image.as_ptr().cast(),
                names.len() as u32,
                names.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        result.result().map(|()| handle).map_err(|error| (error.into(), log_text(&log)))
    }
}

impl Module {
    /// Loads a PTX or cubin file. The content decides which of the two the file is.
    ///
    /// # Errors
    ///
    /// [`Error::Read`], and the errors of [`Module::from_bytes`].
    pub fn load(context: &Arc<CudaContext>, path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let image = std::fs::read(path).map_err(|cause| Error::Read { path: path.into(), cause })?;
        Self::from_bytes(context, &path.display().to_string(), image, &JitOptions::default())
    }

    /// Loads the best image for the device: a cubin before PTX, then the newest target that the device runs. An `a` image runs on
    /// its compute capability alone, an `f` image and a cubin on those of the same major number and no smaller minor number, PTX
    /// on all that are not older. If the driver refuses an image, as an older driver or an emulated one refuses a cubin, the next
    /// best is loaded.
    ///
    /// ```no_run
    /// # let context = ptx_host::open(0)?;
    /// # let (hopper, portable) = (&[], &[]);
    /// use ptx_host::{Image, JitOptions, Module};
    /// let images = [Image { target: "sm_90a", bytes: hopper }, Image { target: "sm_90", bytes: portable }];
    /// let module = Module::from_images(&context, "scale", &images, &JitOptions::default())?;
    /// # Ok::<(), ptx_host::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::NoImage`], which lists the images and names the device, and the errors of [`Module::from_bytes`], of the best image
    /// if the driver refuses them all.
    pub fn from_images(
        context: &Arc<CudaContext>,
        name: &str,
        images: &[Image<'_>],
        options: &JitOptions,
    ) -> Result<Self> {
        let major = attribute_of(context, Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor = attribute_of(context, Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        let mut first = None;
        for image in ranked(images, (major, minor)) {
            match Self::from_bytes(context, &format!("{name}, {image}"), image.bytes, options) {
                Err(error @ Error::Load { .. }) => _ = first.get_or_insert(error),
                loaded => return loaded,
            }
        }
        if let Some(error) = first {
            return Err(error);
        }
        let device = check(context.name(), || "reading the device's name".into())?;
        let (capability, images) = (10 * major + minor, list(images));
        Err(Error::NoImage { module: name.into(), device, capability, images })
    }

    /// Loads PTX or a cubin from memory. Error messages call the module `name`.
    ///
    /// # Errors
    ///
    /// [`Error::BadImage`], or [`Error::Load`] with the log of the driver's compiler.
    pub fn from_bytes(
        context: &Arc<CudaContext>,
        name: &str,
        image: impl Into<Vec<u8>>,
        options: &JitOptions,
    ) -> Result<Self> {
        let module = || name.to_owned();
        let image =
            loadable(image.into()).map_err(|problem| Error::BadImage { module: module(), problem })?;
        check(context.bind_to_thread(), || format!("loading {name}"))?;
        match options.load_image(&image) {
            Ok(handle) => {
                let inner = Inner { context: context.clone(), handle, name: module(), image };
                Ok(Self { inner: Arc::new(inner) })
            }
            Err((cause, log)) => Err(Error::Load { module: module(), driver: driver_version()?, cause, log }),
        }
    }

    /// Returns the value of a 64-bit variable of the module, or `None` if the module has no such variable.
    pub(crate) fn word(&self, name: &str) -> Result<Option<u64>> {
        let doing = || format!("reading `{name}` of {}", self.inner.name);
        check(self.inner.context.bind_to_thread(), doing)?;
        let c_name = CString::new(name).unwrap_or_default();
        let (mut address, mut bytes, mut word) = (0, 0, 0u64);
        // SAFETY: the module is loaded, the name is NUL-terminated, and both places are valid for writes.
        let found = unsafe {
            sys::cuModuleGetGlobal_v2(&mut address, &mut bytes, self.inner.handle, c_name.as_ptr())
        };
        if found == CUresult::CUDA_ERROR_NOT_FOUND || bytes != size_of::<u64>() {
            return Ok(None);
        }
        check(found.result(), doing)?;
        // SAFETY: the variable has 8 bytes, and so has `word`.
        let copied = unsafe { sys::cuMemcpyDtoH_v2((&raw mut word).cast(), address, size_of::<u64>()) };
        check(copied.result(), doing).map(|()| Some(word))
    }

    /// Finds a kernel by the name that it has in the PTX.
    ///
    /// # Errors
    ///
    /// [`Error::Cuda`] if the module has no such kernel.
    pub fn kernel_by_name(&self, name: &str) -> Result<Kernel> {
        Kernel::new(self, name)
    }

    /// Returns the file's path, or the name given to [`Module::from_bytes`].
    #[must_use]
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// Returns the context that the module is loaded in.
    #[must_use]
    pub fn context(&self) -> &Arc<CudaContext> {
        &self.inner.context
    }

    pub(crate) fn image(&self) -> &[u8] {
        &self.inner.image
    }

    pub(crate) fn function(&self, name: &str) -> Result<CUfunction> {
        let doing = || format!("looking for kernel `{name}` in {}", self.inner.name);
        check(self.inner.context.bind_to_thread(), doing)?;
        // No kernel has a NUL in its name: the driver then reports that the empty name is not found.
        let c_name = CString::new(name).unwrap_or_default();
        let mut function = ptr::null_mut();
        // SAFETY: the module is loaded, the name is NUL-terminated, and `function` is valid for a write.
        let result = unsafe { sys::cuModuleGetFunction(&mut function, self.inner.handle, c_name.as_ptr()) };
        check(result.result(), doing)?;
        Ok(function)
    }
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Module").field(&self.inner.name).finish()
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if settle(&self.context) {
            // SAFETY: `from_bytes` loaded the module, and only this drop unloads it. `settle` waited for its kernels.
            let _ = unsafe { sys::cuModuleUnload(self.handle) };
        }
    }
}

pub(crate) fn attribute_of(context: &CudaContext, attribute: Attribute) -> Result<u32> {
    check(context.attribute(attribute), || format!("reading {attribute:?}")).map(i32::unsigned_abs)
}

fn list(images: &[Image<'_>]) -> String {
    match images {
        [] => "none".into(),
        _ => images.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
    }
}

fn log_text(log: &[u8]) -> String {
    let text = log.split(|&byte| byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(text).trim_end().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_ends_at_its_nul() {
        assert_eq!(log_text(b"ptxas error\n\0\0rest"), "ptxas error");
        assert_eq!(log_text(&[0; 8]), "");
    }

    #[test]
    fn without_an_image_for_the_device_the_error_lists_those_there_are() {
        let images = [Image { target: "sm_90a", bytes: b"\x7fELF" }, Image { target: "sm_120", bytes: b"" }];
        let (module, device) = ("scale".into(), "NVIDIA X".into());
        let error = Error::NoImage { module, device, capability: 103, images: list(&images) };
        assert_eq!(
            error.to_string(),
            "no image of scale runs on NVIDIA X, of sm_103: there is sm_90a (cubin), sm_120 (PTX); \
             build it for sm_103"
        );
        assert_eq!(list(&[]), "none");
    }
}
