//! Checks of kernels of one block that fill `out`. The CPU computes the expected output with the same steps.

mod canaries;
mod slice;

use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};
use ptx_host::{LaunchConfig, Module};

use crate::check::{Check, Finding, Gpu};
use crate::cli::Options;
use crate::image;

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
    let mut checks = Vec::new();
    for suite in suites {
        checks.extend(image::for_each(options, suite.name, |image| {
            let of = |kernel: &'static Kernel| {
                let (name, path) =
                    (format!("{}/{}/{}", suite.name, image.label, kernel.name), image.path.clone());
                Check::new(name, options, move |gpu| check(gpu, &path, kernel))
            };
            suite.kernels.iter().map(of).collect()
        })?);
    }
    Ok(checks)
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
