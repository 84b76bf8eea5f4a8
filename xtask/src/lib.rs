//! Builds, assembles and judges the device code of this repository: toolchains, device builds with a shared `core`, ptxas, and
//! PTX split into kernels. The binary is the command line of `./x`. The tests of the workspace call this library.

pub mod bench;
pub mod cuda;
pub mod device;
pub mod emulator;
pub mod family;
pub mod files;
pub mod forms;
pub mod golden;
pub mod index;
pub mod judge;
#[cfg(test)]
mod modules;
pub mod mutate;
pub mod nvcc;
pub mod pictures;
pub mod progress;
pub mod ptx;
pub mod sanitizer;
pub mod toolchain;
pub mod uniform;

pub use ptx_build::process;

use std::path::{Path, PathBuf};

/// Returns the root of the repository.
pub fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package).to_path_buf()
}
