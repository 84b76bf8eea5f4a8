//! The images in the folder of a bundle.

use std::path::PathBuf;

use anyhow::Result;

use crate::options::Options;

/// An image of a kernel or of a device crate: the file `<name>-<build>.<kind>`, such as `axpy-O3.cubin`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Build and kind, such as `O3.cubin`.
    pub label: String,
    pub path: PathBuf,
}

/// The build that nvcc compiled: a twin in CUDA C++.
pub const NVCC: &str = "nvcc";
/// The build that is shipped and timed.
pub const SHIPPED: &str = "O3";

/// Returns the label of what is shipped, as the device runs it: machine code on a GPU, PTX on an emulated one.
pub fn shipped(options: &Options) -> String {
    format!("{SHIPPED}.{}", if options.is_emulated() { "ptx" } else { "cubin" })
}

impl Image {
    /// Returns the seeds that a check runs on this image. An emulated device runs code of opt-level 0 with the last seed only:
    /// the code is some ten times longer, and no pass has moved the instructions that the other builds check.
    pub fn seeds(&self, options: &Options, seeds: &[u32]) -> Vec<u32> {
        let is_slow = options.is_emulated() && self.build() == "O0";
        seeds[if is_slow { seeds.len().saturating_sub(1) } else { 0 }..].to_vec()
    }

    /// Returns the build: an opt-level of rustc, or [`NVCC`].
    pub fn build(&self) -> &str {
        self.label.split(['.', '-']).next().unwrap_or_default()
    }
}

/// Returns the images of a kernel or of a crate that the device runs, by their labels. A GPU runs nvcc's machine code alone: nvcc
/// writes PTX of its own version, which an older driver refuses.
pub fn images(options: &Options, name: &str) -> Result<Vec<Image>> {
    // An unreadable folder has no images.
    let entries = std::fs::read_dir(options.dir()?).into_iter().flatten().flatten();
    let mut images: Vec<_> = entries
        .filter_map(|entry| {
            let path = entry.path();
            let label = path.file_name()?.to_str()?.strip_prefix(name)?.strip_prefix('-')?.to_owned();
            let kind = path.extension()?.to_str()?;
            let image = options.kinds().contains(&kind).then_some(Image { label, path: path.clone() })?;
            (options.is_emulated() || kind == "cubin" || image.build() != NVCC).then_some(image)
        })
        .collect();
    images.sort_by(|a, b| a.label.cmp(&b.label));
    Ok(images)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_is_a_level_or_a_compiler() {
        let build = |label: &str| Image { label: label.into(), path: PathBuf::new() }.build().to_owned();
        assert_eq!(["O3.ptx", "O0-checked.cubin", "nvcc.ptx"].map(build), ["O3", "O0", NVCC]);
    }
}
