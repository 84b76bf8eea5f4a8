//! What can go wrong, and what to do about it.

use std::ffi::{CStr, c_char};
use std::path::PathBuf;
use std::ptr;
use std::time::Duration;

use cudarc::driver::sys::{self, CUresult};

use crate::{DriverVersion, LaunchProblem};

/// The result of an operation of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an operation failed. The text is whole: it includes the cause's, so there is no `source` to print after it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No usable `libcuda` on this machine.
    #[error(
        "no CUDA driver: {reason}; install NVIDIA's driver (it brings libcuda.so.1), or use a machine that has it"
    )]
    NoDriver {
        /// What was tried.
        reason: String,
    },
    /// There is a driver, but not this device.
    #[error(
        "no CUDA device {ordinal}: the driver shows {count}; look at `nvidia-smi -L`, at CUDA_VISIBLE_DEVICES, and \
         at the devices given to a container"
    )]
    NoDevice {
        /// The device that was asked for.
        ordinal: usize,
        /// How many there are.
        count: usize,
    },
    /// The driver lacks functions that this crate calls.
    #[error("the driver supports CUDA {found}, but CUDA {needed} is needed; install a newer driver")]
    DriverTooOld {
        /// What is installed.
        found: DriverVersion,
        /// What this crate calls for.
        needed: DriverVersion,
    },
    /// The driver reported an error.
    #[error("{doing}: {cause}")]
    Cuda {
        /// What was being done, and with what.
        doing: String,
        /// The driver's own words.
        cause: CudaError,
    },
    /// A module file could not be read.
    #[error("cannot read the module {}: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        cause: std::io::Error,
    },
    /// The bytes are neither PTX nor a whole cubin.
    #[error("{module} is no module that can be loaded: {problem}")]
    BadImage {
        /// The module's name.
        module: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The driver refused a module.
    #[error("the driver (CUDA {driver}) cannot load {module}: {cause}{}{}", hint(cause), log_lines(log))]
    Load {
        /// The module's name.
        module: String,
        /// The driver's version, which bounds the PTX versions that it compiles.
        driver: DriverVersion,
        /// The driver's own words.
        cause: CudaError,
        /// What the driver's compiler said; may be empty.
        log: String,
    },
    /// The kernel's parameters are not those of the tuple it was asked for with.
    #[error("kernel {kernel} does not take these arguments: {problem}")]
    Signature {
        /// The kernel and its module.
        kernel: String,
        /// The first difference.
        problem: String,
    },
    /// The launch was refused before it reached the driver.
    #[error("cannot launch kernel {kernel}: {problem}")]
    Launch {
        /// The kernel and its module.
        kernel: String,
        /// The reason.
        problem: LaunchProblem,
    },
    /// The work did not end in time: a hang.
    #[error(
        "hang: {kernel} was not done after {after:?}; its process must end before the device can be used again"
    )]
    Timeout {
        /// The last kernel launched on the stream.
        kernel: String,
        /// How long it was waited for.
        after: Duration,
    },
    /// A range reaches beyond its buffer.
    #[error("elements {start}..{end} do not lie in a device buffer of {len}")]
    OutOfBounds {
        /// First element of the range.
        start: usize,
        /// One past its last element.
        end: usize,
        /// The buffer's length.
        len: usize,
    },
    /// Source and destination of a copy differ in length.
    #[error("a copy of {from} elements into {to}; both sides must have the same length")]
    LengthMismatch {
        /// Elements in the cause.
        from: usize,
        /// Elements in the destination.
        to: usize,
    },
    /// What a tensor map should describe is not what the copies take.
    #[error("no such tensor map: {problem}")]
    TensorMap {
        /// The first fault.
        problem: String,
    },
    /// An allocation's size overflows.
    #[error("{len} elements of {size} bytes are more than an address can count")]
    TooLarge {
        /// Elements asked for.
        len: usize,
        /// Bytes per element.
        size: usize,
    },
}

impl Error {
    /// True if there is no GPU to work with, so that what needs one is to be skipped rather than failed.
    #[must_use]
    pub fn is_no_gpu(&self) -> bool {
        matches!(self, Self::NoDriver { .. } | Self::NoDevice { .. })
    }
}

/// An error code of the driver, with CUDA's own name and text for it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name} ({code}): {text}")]
pub struct CudaError {
    /// The number.
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

    /// True if the code is `result`.
    pub(crate) fn is(&self, result: CUresult) -> bool {
        self.code == result as u32
    }
}

type Describe = unsafe fn(CUresult, *mut *const c_char) -> CUresult;

fn describe(result: CUresult, by: Describe) -> Option<String> {
    let mut text = ptr::null();
    // SAFETY: `text` is a valid place for a pointer; the driver only stores one.
    let found = unsafe { by(result, &mut text) };
    if found != CUresult::CUDA_SUCCESS || text.is_null() {
        return None;
    }
    // SAFETY: on success the driver points `text` to a static NUL-terminated string.
    Some(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}

/// Turns a driver's code into a result.
pub(crate) fn cuda(result: CUresult) -> Result<(), CudaError> {
    match result {
        CUresult::CUDA_SUCCESS => Ok(()),
        failed => Err(CudaError::new(failed)),
    }
}

/// Turns a driver's code into a result that says what was being done.
pub(crate) fn check(result: CUresult, doing: impl FnOnce() -> String) -> Result<()> {
    cuda(result).map_err(|cause| Error::Cuda { doing: doing(), cause })
}

fn hint(error: &CudaError) -> &'static str {
    if error.is(CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU) {
        "; it was built for another architecture than this device's"
    } else if error.is(CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION) {
        "; its PTX is newer than the driver's compiler: load a cubin, or install a newer driver"
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
