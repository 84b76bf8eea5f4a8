//! Checks of the feature `checked`: each kernel of `tests/device/checked` breaks the promise `unsafe(uniform)`, prints the place,
//! and traps.

use anyhow::{Result, bail, ensure};
use ptx_host::LaunchConfig;

use crate::check::{self, Check, Finding};
use crate::device::Device;
use crate::options::Options;

/// The kernels, each with its threads and with parts of what it prints.
const KERNELS: [(&str, u32, &[&str]); 5] = [
    (
        "in_a_branch",
        128,
        &[
            "not all threads of the CTA make this collective call",
            "thread (31, 0, 0) waits for thread (32, 0, 0)",
            "thread (32, 0, 0) has ended; its last collective call: none",
        ],
    ),
    (
        "at_two_places",
        128,
        &["not all threads of the CTA", " waits in another collective call: checked/src/lib.rs:"],
    ),
    (
        "after_an_early_return",
        128,
        &[
            "thread (76, 0, 0) waits for thread (77, 0, 0)",
            "thread (77, 0, 0) has ended; its last collective call: checked/src/lib.rs:",
        ],
    ),
    (
        "in_some_lanes",
        64,
        &["not all threads of the warp", " waits in another collective call: checked/src/lib.rs:"],
    ),
    (
        "without_one_thread",
        128,
        &[
            "not all threads of the CTA",
            // Thread 77, or another of its warp: the warp may run the lane that loops first.
            " did not come within 5 seconds; its last collective call: none",
        ],
    ),
];

pub fn list<D: Device>(options: &Options) -> Result<Vec<Check<D>>> {
    let mut checks = Vec::new();
    for (kernel, threads, says) in KERNELS {
        checks.extend(check::for_each(options, "checked", |image| {
            vec![Check::new(format!("checked/{}/{kernel}", image.label), options, move |device: &D| {
                let kernel = D::function(&device.load(&image)?, kernel)?;
                let (result, printed) = device.printed(|| {
                    // SAFETY: the kernel accesses no host memory. It breaks the promise `unsafe(uniform)`, and traps before a
                    // barrier that not all threads reach.
                    unsafe { device.launch_by_name(&kernel, &LaunchConfig::new(1, threads), ()) }
                })?;
                let Err(error) = result else { bail!("the kernel did not trap; it printed {printed:?}") };
                let missing = says.iter().find(|part| !printed.contains(**part));
                ensure!(
                    missing.is_none(),
                    "{missing:?} is not in what the kernel printed: {printed:?} ({error})"
                );
                Ok(Finding::from(printed.trim_end().replace('\n', "; ")))
            })]
        })?);
    }
    Ok(checks)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_table_has_every_kernel_of_the_crate() {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/device/checked/src/lib.rs");
        let source = std::fs::read_to_string(source).unwrap();
        let names: Vec<_> =
            source.split("\npub fn ").skip(1).map(|rest| rest.split_once('(').unwrap().0).collect();
        assert_eq!(KERNELS.map(|(name, _, _)| name).to_vec(), names);
    }
}
