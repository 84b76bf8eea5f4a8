//! Writes files and folders atomically, and resolves the user's paths.

use std::path::{Path, PathBuf};

pub use ptx_build::files::{lock, make_executable, replace_folder, under, write, write_executable};

/// Resolves a path relative to the folder in which the user called `./x`.
pub fn from_caller(path: &Path) -> PathBuf {
    match std::env::var_os("X_CALLER_DIR") {
        Some(folder) => Path::new(&folder).join(path),
        None => path.to_path_buf(),
    }
}
