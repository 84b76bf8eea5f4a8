//! What a check is, and the checks of images.

use std::time::Duration;

use anyhow::{Result, bail};
use serde_json::Value;

use crate::device::Device;
use crate::gpu::Gpu;
use crate::image::{Image, images};
use crate::options::Options;

/// Time allowed for a check besides its launches: driver start, test data, copies.
pub const OVERHEAD: Duration = Duration::from_secs(90);

/// Time allowed for a check on an emulated device.
const EMULATED: Duration = Duration::from_secs(3600);

/// The function of a check.
pub type Run<D> = dyn Fn(&D) -> Result<Finding>;

/// A check on a device, which runs in its own process.
pub struct Check<D = Gpu> {
    pub name: String,
    /// Time after which the process is killed and the check counts as hung.
    pub limit: Duration,
    pub run: Box<Run<D>>,
}

/// The result of a check that passed.
#[derive(Debug, Default)]
pub struct Finding {
    pub detail: String,
    /// Numbers for the JSON report.
    pub data: Value,
}

impl From<String> for Finding {
    fn from(detail: String) -> Self {
        Self { detail, data: Value::Null }
    }
}

impl<D: Device> Check<D> {
    /// Makes a check with the usual time limit.
    pub fn new(
        name: impl Into<String>,
        options: &Options,
        run: impl Fn(&D) -> Result<Finding> + 'static,
    ) -> Self {
        // An emulated device does its work within the launches, which take as long as their schedules.
        let limit = if options.is_emulated() { EMULATED } else { OVERHEAD + options.timeout() };
        Self { name: name.into(), limit, run: Box::new(run) }
    }

    /// Raises the time limit of the check to at least `limit`.
    pub fn at_least(self, limit: Duration) -> Self {
        Self { limit: self.limit.max(limit), ..self }
    }

    /// Makes a check that fails, because a file that it needs is missing.
    pub fn missing(name: impl Into<String>, options: &Options, problem: String) -> Self {
        Self::new(name, options, move |_| bail!("{problem}"))
    }
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
}
