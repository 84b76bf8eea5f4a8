//! Checks of kernels of one block that fill `out`. The CPU computes the expected output with the same steps.

mod canaries;
mod slice;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
use ptx_host::{LaunchConfig, Module};

use crate::check::{Check, Finding, Gpu};
use crate::cli::Options;

/// The kernels of a crate under `tests/device`.
#[derive(Debug, Clone, Copy)]
pub struct Suite {
    /// Folder of the crate. The images are `<name>-*.ptx` and `<name>-*.cubin`.
    pub name: &'static str,
    /// All kernels of the crate.
    pub kernels: &'static [Kernel],
}

/// A kernel `fn(out: *mut u32, seed: u32)`, launched as one block of [`THREADS`] threads.
#[derive(Debug, Clone, Copy)]
pub struct Kernel {
    /// Name of the kernel.
    pub name: &'static str,
    /// Returns the expected `out`. Its length is the length of `out`.
    pub expected: fn(seed: u32) -> Vec<u32>,
}

/// All suites: the convergence canaries, and the typed layer.
pub const SUITES: &[Suite] = &[canaries::SUITE, slice::SUITE];

const fn kernel(name: &'static str, expected: fn(u32) -> Vec<u32>) -> Kernel {
    Kernel { name, expected }
}

/// Threads per block.
pub const THREADS: u32 = 128;

const SEEDS: [u32; 4] = [0, 1, 0x9e37_79b9, u32::MAX];
/// Content of `out` and of the guard words around it before the launch.
pub(crate) const POISON: u32 = 0xdead_beef;
pub(crate) const GUARD: usize = 64;

pub(crate) fn list(options: &Options, suites: &'static [Suite]) -> Result<Vec<Check>> {
    let dir = options.dir()?;
    let mut checks = Vec::new();
    for suite in suites {
        let images = images(&dir, suite, options.kinds());
        if images.is_empty() {
            let problem = format!("no {0}-*.ptx or {0}-*.cubin in {1}", suite.name, dir.display());
            checks.push(Check::missing(suite.name, options, problem));
        }
        for image in images {
            checks.extend(suite.kernels.iter().map(|kernel| {
                let path = image.clone();
                Check::new(name(&image, suite, kernel), options, move |gpu| check(gpu, &path, kernel))
            }));
        }
    }
    Ok(checks)
}

fn images(dir: &Path, suite: &Suite, kinds: &[&str]) -> Vec<PathBuf> {
    let is_image = |path: &PathBuf| {
        let named = path.file_name().is_some_and(|name| {
            name.to_string_lossy().strip_prefix(suite.name).is_some_and(|rest| rest.starts_with('-'))
        });
        named && path.extension().is_some_and(|extension| kinds.iter().any(|kind| extension == *kind))
    };
    // An unreadable folder has no images; `list` reports that.
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let mut images: Vec<_> = entries.map(|entry| entry.path()).filter(is_image).collect();
    images.sort();
    images
}

fn name(image: &Path, suite: &Suite, kernel: &Kernel) -> String {
    let file = image.file_name().unwrap_or_default().to_string_lossy();
    format!("{}/{}/{}", suite.name, &file[suite.name.len() + 1..], kernel.name)
}

fn check(gpu: &Gpu, image: &Path, of: &Kernel) -> Result<Finding> {
    let module = Module::load(&gpu.context, image)?;
    let kernel = module.kernel_by_name(of.name)?;
    for seed in SEEDS {
        let expected = (of.expected)(seed);
        let n = expected.len();
        let mut out = gpu.stream.clone_htod(&vec![POISON; n + 2 * GUARD])?;
        let arguments = (&mut out.slice_mut(GUARD..GUARD + n), seed);
        // SAFETY: these kernels write `out`, which has the length that they expect, and access nothing else.
        unsafe { kernel.launch(&gpu.stream, &LaunchConfig::new(1, THREADS), arguments)? };
        gpu.wait()?;
        compare(&gpu.stream.clone_dtoh(&out)?, &expected).with_context(|| format!("seed {seed:#x}"))?;
    }
    Ok(format!("{} seeds", SEEDS.len()).into())
}

/// Compares `out` with the expected words, and checks the guards.
pub(crate) fn compare(got: &[u32], expected: &[u32]) -> Result<()> {
    let n = expected.len();
    ensure!(got.len() == n + 2 * GUARD, "the kernel's output has {} words, not {}", got.len(), n + 2 * GUARD);
    let (before, rest) = got.split_at(GUARD);
    let (words, after) = rest.split_at(n);
    ensure!(before.iter().chain(after).all(|&word| word == POISON), "words around out[0..{n}] were written");
    let wrong: Vec<_> = (0..n).filter(|&i| words[i] != expected[i]).collect();
    match wrong.first() {
        None => Ok(()),
        Some(&i) => bail!(
            "{} of {n} words are wrong; the first is out[{i}]: got {:#x}, want {:#x}",
            wrong.len(),
            words[i],
            expected[i]
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &[Suite] = &[Suite { name: "canaries", kernels: &[kernel("barrier", |seed| vec![seed; 32])] }];

    fn names(dir: &Path) -> Vec<String> {
        let mut options = Options::default();
        options.dir = Some(dir.into());
        list(&options, ONE).unwrap().into_iter().map(|check| check.name).collect()
    }

    #[test]
    fn each_kernel_is_run_from_each_image() {
        let dir = tempfile::tempdir().unwrap();
        for file in ["canaries-O3.ptx", "canaries-O0.cubin", "canaries-O0.txt", "axpy_bulk.ptx"] {
            std::fs::write(dir.path().join(file), "").unwrap();
        }
        assert_eq!(names(dir.path()), ["canaries/O0.cubin/barrier", "canaries/O3.ptx/barrier"]);
    }

    #[test]
    fn without_images_a_suite_fails() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(names(dir.path()), ["canaries"]);
    }

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

    fn with_guards(words: &[u32]) -> Vec<u32> {
        [&[POISON; GUARD], words, &[POISON; GUARD]].concat()
    }

    #[test]
    fn wrong_words_and_touched_guards_are_found() {
        compare(&with_guards(&[1, 2, 3]), &[1, 2, 3]).unwrap();
        let error = compare(&with_guards(&[1, 7, 8]), &[1, 2, 3]).unwrap_err().to_string();
        assert_eq!(error, "2 of 3 words are wrong; the first is out[1]: got 0x7, want 0x2");
        let mut touched = with_guards(&[1]);
        touched[GUARD + 1] = 0;
        assert!(compare(&touched, &[1]).is_err());
        assert!(compare(&[1], &[1]).is_err());
    }
}
