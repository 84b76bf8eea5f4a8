//! Kernels whose results show whether the compiler kept their barriers where they stand.

mod models;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
use ptx_host::{DeviceBuffer, DevicePtr, LaunchConfig, Module};

use crate::check::{Check, Finding, Gpu};
use crate::cli::Options;

/// A kernel `fn(out: *mut u32, seed: u32)`, run by one block.
#[derive(Debug, Clone, Copy)]
pub struct Canary {
    /// The kernel's name in every `canaries-*.ptx` and `canaries-*.cubin`.
    pub kernel: &'static str,
    /// Threads of the block.
    pub threads: u32,
    /// What `out` holds afterwards; its length is that of `out`.
    pub expected: fn(seed: u32) -> Vec<u32>,
}

/// All canaries: the kernels of `tests/device/canaries`.
pub const CANARIES: &[Canary] = &[
    canary("canary_two_uses", models::two_uses),
    canary("canary_flag_set", models::flag_set),
    canary("canary_inlined_twice", models::inlined_twice),
    canary("canary_raw_two_uses", models::raw_two_uses),
    canary("canary_raw_flag_set", models::flag_set),
    canary("canary_both_arms", models::both_arms),
    canary("canary_early_exit_barrier", models::early_exit_barrier),
    canary("canary_early_exit_shuffle", models::early_exit_shuffle),
    canary("canary_unswitched", models::unswitched),
    canary("canary_state_machine", models::state_machine),
    canary("canary_unrolled", models::unrolled),
    canary("canary_divergent_trips", models::divergent_trips),
    canary("canary_divergent_trips_shuffle", models::divergent_trips_shuffle),
];

const fn canary(kernel: &'static str, expected: fn(u32) -> Vec<u32>) -> Canary {
    Canary { kernel, threads: THREADS, expected }
}

const THREADS: u32 = 128;

const SEEDS: [u32; 4] = [0, 1, 0x9e37_79b9, u32::MAX];
/// What `out` and the words around it hold before.
const POISON: u32 = 0xdead_beef;
const GUARD: usize = 64;

pub(crate) fn list(options: &Options, canaries: &'static [Canary]) -> Result<Vec<Check>> {
    if canaries.is_empty() {
        return Ok(Vec::new());
    }
    let dir = options.dir()?;
    let images = images(&dir);
    if images.is_empty() {
        let problem = format!("no canaries-*.ptx or canaries-*.cubin in {}", dir.display());
        return Ok(vec![Check::missing("canaries", options, problem)]);
    }
    let checks = images.iter().flat_map(|image| {
        canaries.iter().map(move |canary| {
            let image = image.clone();
            Check::new(name(&image, canary), options, move |gpu| check(gpu, &image, canary))
        })
    });
    Ok(checks.collect())
}

fn images(dir: &Path) -> Vec<PathBuf> {
    let is_image = |path: &PathBuf| {
        let named = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("canaries-"));
        named && path.extension().is_some_and(|extension| extension == "ptx" || extension == "cubin")
    };
    // A folder that cannot be read has no canaries, which is reported.
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let mut images: Vec<_> = entries.map(|entry| entry.path()).filter(is_image).collect();
    images.sort();
    images
}

fn name(image: &Path, canary: &Canary) -> String {
    let file = image.file_name().unwrap_or_default().to_string_lossy();
    format!("canaries/{}/{}", file.trim_start_matches("canaries-"), canary.kernel)
}

fn check(gpu: &Gpu, image: &Path, canary: &Canary) -> Result<Finding> {
    let module = Module::load(&gpu.device, image)?;
    let kernel = module.kernel::<(DevicePtr<u32>, u32)>(canary.kernel)?;
    for seed in SEEDS {
        let expected = (canary.expected)(seed);
        let n = expected.len();
        let mut out = DeviceBuffer::from_slice(&gpu.device, &vec![POISON; n + 2 * GUARD])?;
        let pointer = out.slice_mut(GUARD..GUARD + n)?.as_mut_ptr();
        // SAFETY: canaries write to `out`, which has the length they expect, and read nothing else.
        unsafe { kernel.launch(&gpu.stream, &LaunchConfig::new(1, canary.threads), (pointer, seed))? };
        gpu.wait()?;
        compare(&out.as_slice().to_vec()?, &expected).with_context(|| format!("seed {seed:#x}"))?;
    }
    Ok(format!("{} seeds", SEEDS.len()).into())
}

/// Compares `out` with its guards to what is expected between them.
fn compare(got: &[u32], expected: &[u32]) -> Result<()> {
    let n = expected.len();
    ensure!(got.len() == n + 2 * GUARD, "{} words came back, not {}", got.len(), n + 2 * GUARD);
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

    const ONE: &[Canary] = &[Canary { kernel: "barrier", threads: 32, expected: |seed| vec![seed; 32] }];

    fn names(dir: &Path, canaries: &'static [Canary]) -> Vec<String> {
        let mut options = Options::default();
        options.dir = Some(dir.into());
        list(&options, canaries).unwrap().into_iter().map(|check| check.name).collect()
    }

    #[test]
    fn each_canary_is_run_from_each_image() {
        let dir = tempfile::tempdir().unwrap();
        for file in ["canaries-O3.ptx", "canaries-O0.cubin", "canaries-O0.txt", "axpy_bulk.ptx"] {
            std::fs::write(dir.path().join(file), "").unwrap();
        }
        assert_eq!(names(dir.path(), ONE), ["canaries/O0.cubin/barrier", "canaries/O3.ptx/barrier"]);
    }

    #[test]
    fn without_canaries_nothing_is_listed_and_without_images_it_fails() {
        let dir = tempfile::tempdir().unwrap();
        assert!(names(dir.path(), &[]).is_empty());
        assert_eq!(names(dir.path(), ONE), ["canaries"]);
    }

    #[test]
    fn the_table_has_every_kernel_of_the_crate() {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/device/canaries/src");
        let files = std::fs::read_dir(sources).unwrap().map(|entry| entry.unwrap().path());
        let text: String = files.map(|file| std::fs::read_to_string(file).unwrap()).collect();
        let kernels = text.split("\"ptx-kernel\" fn ").skip(1);
        let mut kernels: Vec<&str> = kernels.map(|rest| rest.split_once('(').unwrap().0).collect();
        let mut listed: Vec<&str> = CANARIES.iter().map(|canary| canary.kernel).collect();
        kernels.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, kernels);
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
