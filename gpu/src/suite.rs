//! Checks of kernels of one block that fill `out`. The CPU computes the expected output with the same steps.

mod canaries;
mod slice;
mod table;

use anyhow::{Context as _, Result};
use ptx_host::LaunchConfig;

use crate::check::{self, Check, Finding};
use crate::device::Device;
use crate::guard::{POISON, compare_words};
use crate::image::Image;
use crate::options::Options;

use self::table::{Kernel, Suite, THREADS};

/// All suites: the convergence canaries, and the typed layer.
pub const SUITES: &[Suite] = &[canaries::SUITE, slice::SUITE];

const SEEDS: [u32; 4] = [0, 1, 0x9e37_79b9, u32::MAX];

pub fn list<D: Device>(options: &Options, suites: &'static [Suite]) -> Result<Vec<Check<D>>> {
    let mut checks = Vec::new();
    for suite in suites {
        checks.extend(check::for_each(options, suite.name, |image| {
            let of = |kernel: &'static Kernel| {
                let (name, image) =
                    (format!("{}/{}/{}", suite.name, image.label, kernel.name), image.clone());
                Check::new(name, options, move |device: &D| check(device, &image, kernel))
            };
            suite.kernels.iter().map(of).collect()
        })?);
    }
    Ok(checks)
}

fn check<D: Device>(device: &D, image: &Image, of: &Kernel) -> Result<Finding> {
    let kernel = D::function(&device.load(image)?, of.name)?;
    for seed in SEEDS {
        let expected = (of.expected)(seed);
        let out = device.memory(&vec![POISON; expected.len()])?;
        let arguments = (D::address(&out), seed);
        // SAFETY: these kernels write `out`, which has the length that they expect, and access nothing else.
        unsafe { device.launch_by_name(&kernel, &LaunchConfig::new(1, THREADS), arguments)? };
        compare_words(&device.to_vec(&out)?, &expected).with_context(|| format!("seed {seed:#x}"))?;
    }
    Ok(format!("{} seeds", SEEDS.len()).into())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_tables_have_every_kernel_of_their_crates() {
        for suite in SUITES {
            let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/device");
            let sources = std::fs::read_dir(crates.join(suite.name).join("src")).unwrap();
            let files = sources.map(|entry| entry.unwrap().path());
            let text: String = files.map(|file| std::fs::read_to_string(file).unwrap()).collect();
            let kernels = text.split("\"ptx-kernel\" fn ").skip(1);
            let mut kernels: Vec<&str> = kernels.map(|rest| rest.split_once('(').unwrap().0).collect();
            let mut listed: Vec<&str> = suite.kernels.iter().map(|kernel| kernel.name).collect();
            kernels.sort_unstable();
            listed.sort_unstable();
            assert_eq!(listed, kernels);
        }
    }
}
