//! Errors of loading and launching, each with its cause and its cure.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use cudarc::driver::DriverError;
use cudarc::driver::sys::CUresult;

use crate::{LaunchProblem, TensorMapProblem};

/// The result of an operation of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The reason why an operation failed. The text includes the text of the cause, so `source` returns nothing.
#[derive(thiserror::Error)]
#[expect(missing_docs, reason = "the message shows what each field is")]
#[non_exhaustive]
pub enum Error {
    /// The machine has no usable `libcuda`.
    #[error(
        "no CUDA driver: {reason}; install NVIDIA's driver (it brings libcuda.so.1), or use a machine that has it"
    )]
    NoDriver { reason: String },
    /// The driver works, but does not show this device.
    #[error(
        "no CUDA device {ordinal}: the driver shows {count}; look at `nvidia-smi -L`, at CUDA_VISIBLE_DEVICES, and \
         at the devices given to a container"
    )]
    NoDevice { ordinal: usize, count: usize },
    /// The driver is older than the functions that this crate calls.
    #[error("the driver supports CUDA {}.{}, but CUDA {}.{} is needed; install a newer driver", found.0, found.1, needed.0, needed.1)]
    DriverTooOld { found: (u32, u32), needed: (u32, u32) },
    /// A call into the driver failed.
    #[error("{doing}: {cause}")]
    Cuda { doing: String, cause: CudaError },
    /// A module file cannot be read.
    #[error("cannot read the module {}: {cause}", path.display())]
    Read { path: PathBuf, cause: std::io::Error },
    /// The file for the results of benchmarks cannot be written.
    #[error("cannot write the results to {}: {cause}", path.display())]
    Write { path: PathBuf, cause: std::io::Error },
    /// A capture has recorded no work.
    #[error("the capture of a stream gave no graph; put work on the stream that is captured")]
    EmptyCapture,
    /// The resets of a benchmark take as long without the kernel as with it. The times are in seconds.
    #[error(
        "the time of `{benchmark}` is lost in that of its resets, {:.2} µs with the kernel and {:.2} µs without it: give the kernel \
         more work, reset less memory, or time the resets too (`Reset::timed`)",
        with_kernel * 1e6, alone * 1e6
    )]
    Resets { benchmark: String, with_kernel: f64, alone: f64 },
    /// The bytes of a module are neither PTX nor a whole cubin.
    #[error("{module} is not a module that the driver can load: {problem}")]
    BadImage { module: String, problem: &'static str },
    /// None of a module's images runs on the device.
    #[error(
        "no image of {module} runs on {device}, of sm_{capability}: there is {images}; build it for sm_{capability}"
    )]
    NoImage { module: String, device: String, capability: u32, images: String },
    /// The driver refused a module. The log is from the driver's compiler, which compiles PTX up to the driver's version.
    #[error("the driver (CUDA {}.{}) cannot load {module}: {cause}{}{}", driver.0, driver.1, hint(cause), log_lines(log))]
    Load { module: String, driver: (u32, u32), cause: CudaError, log: String },
    /// The arguments of a launch differ from the kernel's parameters in number or size. Nothing was launched.
    #[error("kernel {kernel} does not take these arguments: {problem}")]
    Signature { kernel: String, problem: String },
    /// The images have no kernel of this name, or one from another source than the description that the program was built with.
    #[error(
        "{module} has no kernel `{kernel}` of the source that this program was built with; build the kernels and the program \
         from the same crate"
    )]
    Fingerprint { kernel: String, module: String },
    /// The device or the kernel does not allow this launch. Nothing was launched.
    #[error("cannot launch kernel {kernel}: {problem}")]
    Launch { kernel: String, problem: LaunchProblem },
    /// The kernel cannot be put on this stream. Nothing was launched.
    #[error("cannot launch kernel {kernel}: {problem}")]
    Stream { kernel: String, problem: StreamProblem },
    /// The work did not end within the timeout: a hang. The error names the last kernel launched on the stream.
    #[error("hang: {work} was not done after {after:?}; end this process before you use the device again")]
    Timeout { work: String, after: Duration },
    /// A parameter of a tensor map breaks a rule. The driver was not called.
    #[error("cannot make this tensor map: {problem}")]
    TensorMap { problem: TensorMapProblem },
}

/// Writes the text of `Display`, because `main` prints a returned error by `Debug`.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl Error {
    /// Returns true if the machine has no GPU to use. A test that needs a GPU skips on such an error and fails on any other.
    #[must_use]
    pub fn is_no_gpu(&self) -> bool {
        matches!(self, Self::NoDriver { .. } | Self::NoDevice { .. })
    }
}

impl From<TensorMapProblem> for Error {
    fn from(problem: TensorMapProblem) -> Self {
        Self::TensorMap { problem }
    }
}

/// The reason why a stream does not take a launch.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StreamProblem {
    /// The devices of the module and of the stream, whose contexts differ.
    #[error(
        "the module is loaded in a context of device {0}, and the stream is of another, of device {1}; use a stream \
         of the module's context"
    )]
    Context(usize, usize),
    /// The kernel is not from `LoadedKernels`, which orders the streams of the context.
    #[error(
        "a typed launch of a kernel that was loaded by name; take the kernel from `LoadedKernels::kernel`"
    )]
    NoOrder,
    /// The stream, or the stream of an argument, is another one in each thread.
    #[error(
        "a typed launch takes no per-thread stream, since its work and memory may be another thread's; use `new_stream`"
    )]
    PerThread,
    /// The reason why the stream takes no typed launch.
    #[error("the stream {0}, and a graph does not keep a module loaded; launch the kernel by name")]
    Captured(String),
}

/// An error code of the driver (`CUresult`), with CUDA's name and text for the code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name} ({code}): {text}")]
#[expect(missing_docs, reason = "the struct's own text says what each field is")]
pub struct CudaError {
    pub code: u32,
    pub name: String,
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
