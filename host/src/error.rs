//! Errors of loading and launching, each with its cause and its cure.

use std::ffi::{CStr, c_char};
use std::path::PathBuf;
use std::ptr;
use std::time::Duration;

use cudarc::driver::sys::{self, CUresult};

use crate::{DriverVersion, LaunchProblem};

/// The result of an operation of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an operation failed. The text includes the text of the cause, so `source` returns nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The machine has no usable `libcuda`.
    #[error(
        "no CUDA driver: {reason}; install NVIDIA's driver (it brings libcuda.so.1), or use a machine that has it"
    )]
    NoDriver {
        /// The step that failed.
        reason: String,
    },
    /// The driver works, but does not show this device.
    #[error(
        "no CUDA device {ordinal}: the driver shows {count}; look at `nvidia-smi -L`, at CUDA_VISIBLE_DEVICES, and \
         at the devices given to a container"
    )]
    NoDevice {
        /// The requested device.
        ordinal: usize,
        /// Number of devices that the driver shows.
        count: usize,
    },
    /// The driver is older than the functions that this crate calls.
    #[error("the driver supports CUDA {found}, but CUDA {needed} is needed; install a newer driver")]
    DriverTooOld {
        /// The CUDA version that the driver supports.
        found: DriverVersion,
        /// The CUDA version that this crate needs.
        needed: DriverVersion,
    },
    /// A call into the driver failed.
    #[error("{doing}: {cause}")]
    Cuda {
        /// The operation and its arguments.
        doing: String,
        /// The driver's error.
        cause: CudaError,
    },
    /// A module file cannot be read.
    #[error("cannot read the module {}: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        cause: std::io::Error,
    },
    /// The bytes of a module are neither PTX nor a whole cubin.
    #[error("{module} is not a module that the driver can load: {problem}")]
    BadImage {
        /// The module's name.
        module: String,
        /// The fault in the bytes.
        problem: String,
    },
    /// The driver refused a module.
    #[error("the driver (CUDA {driver}) cannot load {module}: {cause}{}{}", hint(cause), log_lines(log))]
    Load {
        /// The module's name.
        module: String,
        /// The CUDA version of the driver. The driver compiles PTX up to that version.
        driver: DriverVersion,
        /// The driver's error.
        cause: CudaError,
        /// The log of the driver's compiler; may be empty.
        log: String,
    },
    /// The kernel's parameters differ in number or size from the tuple given to [`Module::kernel`](crate::Module::kernel).
    #[error("kernel {kernel} does not take these arguments: {problem}")]
    Signature {
        /// The kernel and its module.
        kernel: String,
        /// The first difference.
        problem: String,
    },
    /// The shape of a launch exceeds a limit. The driver was not called.
    #[error("cannot launch kernel {kernel}: {problem}")]
    Launch {
        /// The kernel and its module.
        kernel: String,
        /// The reason.
        problem: LaunchProblem,
    },
    /// The work did not end within the timeout: a hang.
    #[error("hang: {kernel} was not done after {after:?}; end this process before you use the device again")]
    Timeout {
        /// The last kernel launched on the stream.
        kernel: String,
        /// The timeout.
        after: Duration,
    },
    /// A range reaches beyond its buffer.
    #[error("elements {start}..{end} are not inside a device buffer of {len} elements")]
    OutOfBounds {
        /// First element of the range.
        start: usize,
        /// One past the last element of the range.
        end: usize,
        /// The buffer's length.
        len: usize,
    },
    /// Source and destination of a copy have different lengths.
    #[error("cannot copy {from} elements into {to}; source and destination must have the same length")]
    LengthMismatch {
        /// Elements in the source.
        from: usize,
        /// Elements in the destination.
        to: usize,
    },
    /// A parameter of a tensor map is out of range.
    #[error("cannot make this tensor map: {problem}")]
    TensorMap {
        /// The first parameter that is out of range.
        problem: String,
    },
    /// The size of an allocation in bytes exceeds the address space.
    #[error("{len} elements of {size} bytes exceed the address space")]
    TooLarge {
        /// Requested elements.
        len: usize,
        /// Bytes per element.
        size: usize,
    },
}

impl Error {
    /// Returns true if the machine has no GPU to use. A test that needs a GPU skips on such an error and fails on any other.
    #[must_use]
    pub fn is_no_gpu(&self) -> bool {
        matches!(self, Self::NoDriver { .. } | Self::NoDevice { .. })
    }
}

/// An error code of the driver (`CUresult`), with CUDA's name and text for the code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name} ({code}): {text}")]
pub struct CudaError {
    /// The error code.
    pub code: u32,
    /// The name, such as `CUDA_ERROR_ILLEGAL_ADDRESS`.
    pub name: String,
    /// The text, such as `an illegal memory access was encountered`.
    pub text: String,
}

impl CudaError {
    fn new(result: CUresult) -> Self {
        Self {
            code: result as u32,
            name: describe(result, sys::cuGetErrorName).unwrap_or_else(|| format!("{result:?}")),
            text: describe(result, sys::cuGetErrorString).unwrap_or_else(|| "no description".into()),
        }
    }

    /// Returns true if the code is `result`.
    pub(crate) fn is(&self, result: CUresult) -> bool {
        self.code == result as u32
    }
}

type Describe = unsafe fn(CUresult, *mut *const c_char) -> CUresult;

fn describe(result: CUresult, by: Describe) -> Option<String> {
    let mut text = ptr::null();
    // SAFETY: `text` is valid for the write of a pointer, and the driver only stores one.
    let found = unsafe { by(result, &mut text) };
    if found != CUresult::CUDA_SUCCESS || text.is_null() {
        return None;
    }
    // SAFETY: on success the driver has pointed `text` to a static NUL-terminated string.
    Some(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}

/// Turns an error code of the driver into a `Result`.
pub(crate) fn cuda(result: CUresult) -> Result<(), CudaError> {
    match result {
        CUresult::CUDA_SUCCESS => Ok(()),
        failed => Err(CudaError::new(failed)),
    }
}

/// As [`cuda`], with an error that names the operation.
pub(crate) fn check(result: CUresult, doing: impl FnOnce() -> String) -> Result<()> {
    cuda(result).map_err(|cause| Error::Cuda { doing: doing(), cause })
}

fn hint(error: &CudaError) -> &'static str {
    if error.is(CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU) {
        "; it was built for another architecture than this device's: build it for the device's compute capability"
    } else if error.is(CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION) {
        "; its PTX version is newer than the driver's compiler: load a cubin, or install a newer driver"
    } else {
        ""
    }
}

fn log_lines(log: &str) -> String {
    if log.is_empty() { String::new() } else { format!("\n{log}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(code: CUresult) -> CudaError {
        CudaError { code: code as u32, name: format!("{code:?}"), text: "its text".into() }
    }

    #[test]
    fn a_load_error_carries_name_text_log_and_cure() {
        let shown = Error::Load {
            module: "k.ptx".into(),
            driver: DriverVersion::from_number(13000),
            cause: error(CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION),
            log: "ptxas: line 1".into(),
        }
        .to_string();
        for part in [
            "CUDA 13.0",
            "k.ptx",
            "CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222)",
            "its text",
            "load a cubin",
            "\nptxas: line 1",
        ] {
            assert!(shown.contains(part), "{part:?} is missing in: {shown}");
        }
    }

    #[test]
    fn only_a_missing_gpu_is_a_reason_to_skip() {
        assert!(Error::NoDriver { reason: String::new() }.is_no_gpu());
        assert!(Error::NoDevice { ordinal: 0, count: 0 }.is_no_gpu());
        let failed = Error::Cuda { doing: "x".into(), cause: error(CUresult::CUDA_ERROR_UNKNOWN) };
        assert!(!failed.is_no_gpu());
    }

    #[test]
    fn a_hang_names_the_kernel_and_the_time() {
        let hang = Error::Timeout { kernel: "kernel `k` of k.ptx".into(), after: Duration::from_secs(2) };
        let shown = hang.to_string();
        assert!(shown.starts_with("hang: kernel `k` of k.ptx was not done after 2s"), "{shown}");
    }
}
