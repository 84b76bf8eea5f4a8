//! compute-sanitizer from PyPI. A bundle includes the program, so that it runs where no CUDA is installed.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result};

use crate::cuda::fetch_wheels;
use crate::{files, progress, root};

const VERSION: &str = "13.5.25";
const NAME: &str = "compute-sanitizer";
/// The parts of the wheel that the program does not need.
const LEFT_OUT: [&str; 3] = ["docs", "include", "x86"];

/// Returns the folder of the program and its libraries in `target/cuda/`. Fetches the wheel once.
pub fn find_or_fetch() -> Result<PathBuf> {
    let folder = root().join(format!("target/cuda/sanitizer-{VERSION}"));
    let _lock = files::lock(&folder.with_extension("lock"))?;
    if !folder.join(NAME).exists() {
        progress::step(&format!("fetching {NAME} {VERSION}"), || {
            files::replace_folder(&folder, |fresh| {
                let site = fresh.join("site");
                fetch_wheels(NAME, &[format!("nvidia-cuda-sanitizer-api=={VERSION}")], &site, &[])?;
                let unpacked = site.join("nvidia/cu13").join(NAME);
                for entry in fs::read_dir(&unpacked).with_context(|| format!("the wheel has no {NAME}"))? {
                    let entry = entry?;
                    if !LEFT_OUT.iter().any(|name| entry.file_name() == *name) {
                        let kept = fresh.join(entry.file_name());
                        fs::rename(entry.path(), &kept)?;
                        files::make_executable(&kept)?;
                    }
                }
                Ok(fs::remove_dir_all(site)?)
            })
        })?;
    }
    Ok(folder)
}
