//! Errors of loading and launching, each with its cause and its cure.

use std::path::PathBuf;
use std::time::Duration;

use cudarc::driver::DriverError;
use cudarc::driver::sys::CUresult;

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
    /// None of a module's images runs on the device.
    #[error(
        "no image of {module} runs on {device}, of compute capability {major}.{minor}: there is {images}; build it \
         for sm_{major}{minor}"
    )]
    NoImage {
        /// The module's name.
        module: String,
        /// The device's name.
        device: String,
        /// Major compute capability of the device.
        major: u32,
        /// Minor compute capability of the device.
        minor: u32,
        /// The images that there are: targets and kinds.
        images: String,
    },
    /// An option of the driver's compiler is out of range.
    #[error("cannot compile {module} with {option}: the driver takes {range}")]
    JitOption {
        /// The module's name.
        module: String,
        /// The option and its value.
        option: String,
        /// The values that the driver takes.
        range: &'static str,
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
    /// The arguments of a launch differ from the kernel's parameters in number or size. The driver was not called.
    #[error("kernel {kernel} does not take these arguments: {problem}")]
    Signature {
        /// The kernel and its module.
        kernel: String,
        /// The first difference.
        problem: String,
    },
    /// The device or the kernel does not allow this launch. The driver was not called.
    #[error("cannot launch kernel {kernel}: {problem}")]
    Launch {
        /// The kernel and its module.
        kernel: String,
        /// The reason.
        problem: LaunchProblem,
    },
    /// The work did not end within the timeout: a hang.
    #[error("hang: {work} was not done after {after:?}; end this process before you use the device again")]
    Timeout {
        /// The last kernel launched on the stream.
        work: String,
        /// The timeout.
        after: Duration,
    },
    /// A parameter of a tensor map breaks a rule. The driver was not called.
    #[error("cannot make this tensor map: {problem}")]
    TensorMap {
        /// The rule and the value that breaks it.
        problem: String,
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

impl From<DriverError> for CudaError {
    fn from(error: DriverError) -> Self {
        let name = error.error_name().map(|name| name.to_string_lossy().into_owned());
        let text = error.error_string().map(|text| text.to_string_lossy().into_owned());
        Self {
            code: error.0 as u32,
            name: name.unwrap_or_else(|_| format!("{:?}", error.0)),
            text: text.unwrap_or_else(|_| "no description".into()),
        }
    }
}

/// Adds the operation to an error of the driver.
pub(crate) fn check<T>(result: Result<T, DriverError>, doing: impl FnOnce() -> String) -> Result<T> {
    result.map_err(|cause| Error::Cuda { doing: doing(), cause: cause.into() })
}

fn hint(error: &CudaError) -> &'static str {
    if error.code == CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU as u32 {
        "; it was built for another architecture than this device's: build it for the device's compute capability"
    } else if error.code == CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION as u32 {
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

    #[test]
    fn a_load_error_carries_name_text_log_and_cure() {
        let code = CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
        let cause = CudaError { code: code as u32, name: format!("{code:?}"), text: "its text".into() };
        let driver = DriverVersion::from_number(13000);
        let log = "ptxas: line 1".into();
        let shown = Error::Load { module: "k.ptx".into(), driver, cause, log }.to_string();
        for part in [
            "CUDA 13.0",
            "k.ptx",
            "CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222): its text",
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
        assert!(!Error::TensorMap { problem: String::new() }.is_no_gpu());
    }
}
