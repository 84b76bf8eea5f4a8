//! Modules: loading PTX and cubins.

use std::ffi::{CString, c_void};
use std::fmt;
use std::path::Path;
use std::ptr;
use std::sync::Arc;

use cudarc::driver::sys::{self, CUfunction, CUjit_option, CUmodule, CUresult};

use crate::error::{check, cuda};
use crate::{Device, Error, Kernel, KernelArgs, Result};

const LOG_BYTES: usize = 16 * 1024;

/// A loaded module (`CUmodule`): PTX or a cubin. Clones share it. The last clone or [`Kernel`] that is dropped waits for all work
/// on the device and unloads the module.
#[derive(Clone)]
pub struct Module {
    inner: Arc<Inner>,
}

struct Inner {
    device: Device,
    handle: CUmodule,
    name: String,
}

// SAFETY: any thread may call the driver's API; `bind` makes the context current before each use.
unsafe impl Send for Inner {}
// SAFETY: as for `Send`; nothing changes behind `&Inner`.
unsafe impl Sync for Inner {}

impl Module {
    /// Loads a PTX or cubin file. The content decides which of the two the file is.
    ///
    /// # Errors
    ///
    /// [`Error::Read`], [`Error::BadImage`], or [`Error::Load`] with the log of the driver's compiler.
    pub fn load(device: &Device, path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let image = std::fs::read(path).map_err(|cause| Error::Read { path: path.into(), cause })?;
        Self::from_bytes(device, &path.display().to_string(), image)
    }

    /// Loads PTX or a cubin from memory. Error messages call the module `name`.
    ///
    /// # Errors
    ///
    /// [`Error::BadImage`], or [`Error::Load`] with the log of the driver's compiler.
    pub fn from_bytes(device: &Device, name: &str, image: impl Into<Vec<u8>>) -> Result<Self> {
        let image = loadable(image.into())
            .map_err(|problem| Error::BadImage { module: name.into(), problem: problem.into() })?;
        device.bind()?;
        let handle = load_image(&image).map_err(|(cause, log)| Error::Load {
            module: name.into(),
            driver: device.info().driver,
            cause,
            log,
        })?;
        Ok(Self { inner: Arc::new(Inner { device: device.clone(), handle, name: name.into() }) })
    }

    /// Finds a kernel by name, and checks that its parameters agree with `A` in number and size.
    ///
    /// # Errors
    ///
    /// [`Error::Cuda`] if the module has no such kernel; [`Error::Signature`] if the parameters differ.
    pub fn kernel<A: KernelArgs>(&self, name: &str) -> Result<Kernel<A>> {
        Kernel::new(self, name)
    }

    /// Returns the file's path, or the name given to [`Module::from_bytes`].
    #[must_use]
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// Returns the device that the module is loaded on.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.inner.device
    }

    pub(crate) fn function(&self, name: &str) -> Result<CUfunction> {
        self.inner.device.bind()?;
        let doing = || format!("looking for kernel `{name}` in {}", self.inner.name);
        // No kernel has a NUL in its name: the driver then reports that the empty name is not found.
        let c_name = CString::new(name).unwrap_or_default();
        let mut function = ptr::null_mut();
        // SAFETY: the module is loaded, the name is NUL-terminated, and `function` is valid for a write.
        check(unsafe { sys::cuModuleGetFunction(&mut function, self.inner.handle, c_name.as_ptr()) }, doing)?;
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
        if self.device.settle() {
            // SAFETY: `from_bytes` loaded the module, and only this drop unloads it. `settle` waited for its kernels.
            let _ = unsafe { sys::cuModuleUnload(self.handle) };
        }
    }
}

/// Completes an image for the driver, which takes no length: PTX must end in NUL, and a cubin must not be truncated.
fn loadable(mut image: Vec<u8>) -> Result<Vec<u8>, &'static str> {
    if image.starts_with(b"\x7fELF") {
        check_cubin(&image)?;
        return Ok(image);
    }
    if !is_ptx(&image) {
        return Err("it is neither PTX (text with a `.version` line) nor a cubin (an ELF file for CUDA)");
    }
    image.push(0);
    Ok(image)
}

fn is_ptx(image: &[u8]) -> bool {
    std::str::from_utf8(image).is_ok_and(|text| {
        !text.contains('\0') && text.lines().any(|line| line.trim_start().starts_with(".version"))
    })
}

fn check_cubin(image: &[u8]) -> Result<(), &'static str> {
    const EM_CUDA: u64 = 190;
    const CUT_OFF: &str = "the cubin is truncated; build or copy it again";
    let field = |at: usize, bytes: usize| -> Result<u64, &'static str> {
        let part = image.get(at..at + bytes).ok_or(CUT_OFF)?;
        Ok(part.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
    };
    if field(4, 1)? != 2 || field(5, 1)? != 1 || field(18, 2)? != EM_CUDA {
        return Err("it is an ELF file, but not a 64-bit cubin");
    }
    let (program_headers, program_size, program_count) = (field(0x20, 8)?, field(0x36, 2)?, field(0x38, 2)?);
    let (sections, section_size, section_count) = (field(0x28, 8)?, field(0x3a, 2)?, field(0x3c, 2)?);
    let inside =
        |start: u64, bytes: u64| start.checked_add(bytes).is_some_and(|end| end <= image.len() as u64);
    if !inside(program_headers, program_size * program_count)
        || !inside(sections, section_size * section_count)
    {
        return Err(CUT_OFF);
    }
    Ok(())
}

/// Gives an image from [`loadable`] to the driver. On failure also returns the log of the driver's compiler.
fn load_image(image: &[u8]) -> Result<CUmodule, (crate::CudaError, String)> {
    let mut log = vec![0u8; LOG_BYTES];
    let mut options =
        [CUjit_option::CU_JIT_ERROR_LOG_BUFFER, CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
    // The driver takes an integer in place of a pointer here.
    let mut values = [log.as_mut_ptr().cast::<c_void>(), ptr::without_provenance_mut(LOG_BYTES)];
    let mut handle = ptr::null_mut();
    // SAFETY: `loadable` made the image whole, and a context is current. Both arrays have two entries, which describe `log`;
    // `log` outlives the call.
    let result: CUresult = unsafe {
        sys::cuModuleLoadDataEx(
            &mut handle,
            image.as_ptr().cast(),
            options.len() as u32,
            options.as_mut_ptr(),
            values.as_mut_ptr(),
        )
    };
    cuda(result).map(|()| handle).map_err(|error| (error, log_text(&log)))
}

fn log_text(log: &[u8]) -> String {
    let text = log.split(|&byte| byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(text).trim_end().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cubin() -> Vec<u8> {
        let mut image = vec![0u8; 64 + 2 * 64 + 56];
        image[..6].copy_from_slice(b"\x7fELF\x02\x01");
        image[18] = 190;
        image[0x28] = 64;
        image[0x3a] = 64;
        image[0x3c] = 2;
        image[0x20] = 192;
        image[0x36] = 56;
        image[0x38] = 1;
        image
    }

    #[test]
    fn ptx_is_known_by_its_version_line_and_ends_in_nul() {
        let image = loadable(b"// made by hand\n  .version 8.0\n.target sm_90\n".to_vec()).unwrap();
        assert_eq!(image.last(), Some(&0));
    }

    #[test]
    fn a_whole_cubin_is_taken_as_it_is() {
        assert_eq!(loadable(cubin()).unwrap(), cubin());
    }

    #[test]
    fn a_cut_cubin_is_refused_before_the_driver_reads_past_its_end() {
        for len in [6, 63, 64, cubin().len() - 1] {
            assert_eq!(
                loadable(cubin()[..len].to_vec()),
                Err("the cubin is truncated; build or copy it again"),
                "{len} bytes"
            );
        }
    }

    #[test]
    fn other_files_are_refused_with_what_was_expected() {
        let mut host_program = cubin();
        host_program[18] = 62;
        assert_eq!(loadable(host_program), Err("it is an ELF file, but not a 64-bit cubin"));
        for other in [&b""[..], b"hello", b".version 8.0\n\0", b"\xff\xfe.version"] {
            assert!(loadable(other.to_vec()).unwrap_err().starts_with("it is neither PTX"), "{other:?}");
        }
    }

    #[test]
    fn a_log_ends_at_its_nul() {
        assert_eq!(log_text(b"ptxas error\n\0\0rest"), "ptxas error");
        assert_eq!(log_text(&[0; 8]), "");
    }
}
