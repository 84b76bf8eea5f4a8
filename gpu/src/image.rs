//! The images in the folder of a bundle.

use std::path::PathBuf;

use anyhow::Result;

use crate::check::Check;
use crate::device::Device;
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

/// Makes the checks like [`for_each`], for device crates that are compiled at opt-level 0 too. A GPU runs only their machine
/// code: the driver may be older than their PTX, and the compiler of driver 580 ends with a segmentation fault on PTX of
/// opt-level 0.
pub fn for_each_of_crate<D: Device>(
    options: &Options,
    name: &str,
    mut checks: impl FnMut(Image) -> Vec<Check<D>>,
) -> Result<Vec<Check<D>>> {
    let is_run =
        |image: &Image| options.is_emulated() || image.path.extension().is_some_and(|kind| kind == "cubin");
    for_each(options, name, |image| if is_run(&image) { checks(image) } else { Vec::new() })
}

/// Makes the checks of each image of a kernel or of a crate, or one that fails if there is no image.
pub fn for_each<D: Device>(
    options: &Options,
    name: &str,
    checks: impl FnMut(Image) -> Vec<Check<D>>,
) -> Result<Vec<Check<D>>> {
    let images = images(options, name)?;
    if images.is_empty() {
        let kinds = options.kinds().join(" or ");
        let problem = format!(
            "no {name}-*.{kinds} in {}; make a bundle with `./x bundle DIR`, and give the folder with --dir",
            options.dir()?.display()
        );
        return Ok(vec![Check::missing(name, options, problem)]);
    }
    Ok(images.into_iter().flat_map(checks).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Gpu;
    use crate::options::Emulated;

    fn names(files: &[&str], change: impl Fn(&mut Options)) -> Vec<String> {
        let dir = tempfile::tempdir().unwrap();
        files.iter().for_each(|file| std::fs::write(dir.path().join(file), "").unwrap());
        let mut options = Options::default();
        options.dir = Some(dir.path().into());
        change(&mut options);
        let of = |image: Image| {
            vec![Check::<Gpu>::missing(format!("axpy/{}", image.label), &options, String::new())]
        };
        for_each(&options, "axpy", of).unwrap().into_iter().map(|check| check.name).collect()
    }

    #[test]
    fn each_image_of_the_name_is_run() {
        let files = [
            "axpy-nvcc.ptx",
            "axpy-nvcc.cubin",
            "axpy-O3.ptx",
            "axpy-O0.cubin",
            "axpy-O0.txt",
            "axpy_bulk-O3.ptx",
        ];
        assert_eq!(names(&files, |_| {}), ["axpy/O0.cubin", "axpy/O3.ptx", "axpy/nvcc.cubin"]);
        assert_eq!(
            names(&files, |options| options.emulated = Some(Emulated::Interpreter)),
            ["axpy/O3.ptx", "axpy/nvcc.ptx"]
        );
    }

    #[test]
    fn without_images_a_check_fails() {
        assert_eq!(names(&["axpy_bulk-O3.ptx"], |_| {}), ["axpy"]);
    }

    #[test]
    fn a_build_is_a_level_or_a_compiler() {
        let build = |label: &str| Image { label: label.into(), path: PathBuf::new() }.build().to_owned();
        assert_eq!(["O3.ptx", "O0-checked.cubin", "nvcc.ptx"].map(build), ["O3", "O0", NVCC]);
    }
}
