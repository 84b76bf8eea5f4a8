//! What builds, assembles and judges the device code of this repository: the toolchain, device builds
//! that share one `core`, ptxas, and PTX taken apart. The binary is the command line of `./x`; the tests
//! of the workspace call this library.
#![deny(missing_docs)]

pub mod bench;
pub mod cuda;
pub mod device;
pub mod family;
pub mod files;
pub mod forms;
pub mod golden;
pub mod index;
pub mod judge;
pub mod nvcc;
pub mod process;
pub mod progress;
pub mod ptx;
pub mod toolchain;

use std::path::{Path, PathBuf};

/// The root of the repository.
pub fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package).to_path_buf()
}
