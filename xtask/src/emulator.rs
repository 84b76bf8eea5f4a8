//! The emulated device: a program of CUDA runs on it if the folder of its driver comes first on the search path of libraries.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::device::workspace_library;
use crate::root;
use crate::toolchain::Toolchain;

/// The package of the driver.
const PACKAGE: &str = "ptx-emu-cuda";
/// The variable with the search path of libraries.
pub const SEARCH_PATH: &str = "LD_LIBRARY_PATH";

/// Builds the driver of the emulated device, and returns a search path on which the driver's folder comes first.
///
/// # Errors
///
/// If the driver does not compile, or its folder cannot be written.
pub fn search_path(toolchain: &Toolchain) -> Result<OsString> {
    let library = workspace_library(toolchain, PACKAGE, "dev")?;
    let folder = root().join("target/emulator");
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    for name in ["libcuda.so", "libcuda.so.1"] {
        link(&library, &folder.join(name))?;
    }
    let mut paths = vec![folder];
    paths.extend(std::env::var_os(SEARCH_PATH).iter().flat_map(std::env::split_paths));
    Ok(std::env::join_paths(paths)?)
}

/// Makes a link, in place of an older one.
fn link(to: &Path, at: &PathBuf) -> Result<()> {
    if std::fs::read_link(at).is_ok_and(|known| known == to) {
        return Ok(());
    }
    // Another process may do the same.
    let fresh = at.with_extension(format!("{}.new", std::process::id()));
    std::os::unix::fs::symlink(to, &fresh)
        .and_then(|()| std::fs::rename(&fresh, at))
        .with_context(|| format!("cannot make the link {}", at.display()))
}
