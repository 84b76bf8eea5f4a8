//! The list of all checks.

use anyhow::{Result, bail};

use crate::check::Check;
use crate::kernels::Runs;
use crate::options::Options;
use crate::{
    attention_backward_checks, attention_checks, axpy_checks, checked_checks, decode_checks, device_checks,
    gemm_checks, half_checks, host_checks, kernels, library_checks, math_checks, primitive_checks, suite,
    tensor_checks, typed_checks,
};

/// Returns all checks that a GPU runs: those of `ptx-host` too, and those of bandwidth.
pub fn all(options: &Options) -> Result<Vec<Check>> {
    let mut checks = host_checks::list(options);
    checks.extend(of_kernels(options)?);
    checks.extend(typed_checks::of_driver(options)?);
    checks.extend(axpy_checks::bandwidth(options)?);
    Ok(checks)
}

/// Returns the checks of kernels, which the interpreter runs too.
pub fn of_kernels<D: Runs>(options: &Options) -> Result<Vec<Check<D>>> {
    let mut checks = axpy_checks::list(options)?;
    checks.extend(kernels::list(options)?);
    checks.extend(library_checks::list(options)?);
    checks.extend(primitive_checks::list(options)?);
    checks.extend(half_checks::list(options)?);
    checks.extend(gemm_checks::list(options)?);
    checks.extend(attention_checks::list(options)?);
    checks.extend(decode_checks::list(options)?);
    checks.extend(attention_backward_checks::list(options)?);
    checks.extend(math_checks::list(options)?);
    checks.extend(tensor_checks::list(options)?);
    checks.extend(suite::list(options, suite::SUITES)?);
    checks.extend(checked_checks::list(options)?);
    checks.extend(device_checks::list(options)?);
    checks.extend(typed_checks::list(options)?);
    Ok(checks)
}

/// Returns the checks whose names contain one of `parts`, or all checks if `parts` is empty.
pub fn select<D>(checks: Vec<Check<D>>, parts: &[String]) -> Result<Vec<Check<D>>> {
    if let Some(unknown) = parts.iter().find(|part| !checks.iter().any(|check| check.name.contains(*part))) {
        bail!("no check has `{unknown}` in its name; `--list` shows the names");
    }
    let wanted = |check: &Check<D>| parts.is_empty() || parts.iter().any(|part| check.name.contains(part));
    Ok(checks.into_iter().filter(wanted).collect())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// Kernels that are built and assembled but not run, with the reason.
    const NOT_RUN: &[(&str, &str)] = &[
        ("multimem_all_reduce", "it needs a multicast object, and so several GPUs"),
        ("clusterlaunchcontrol_scale", "its instructions need sm_100"),
        ("gemm_tcgen05_E4m3_bf16_N256_4", "its instructions need sm_100f or sm_110f"),
        ("gemm_tcgen05_bf16_bf16_N128_6", "its instructions need sm_100f or sm_110f"),
        ("gemm_tcgen05_bf16_bf16_N256_4", "its instructions need sm_100f or sm_110f"),
        ("gemm_tcgen05_f16_f16_N256_4", "its instructions need sm_100f or sm_110f"),
    ];

    #[test]
    fn the_table_has_every_kernel_of_the_crate() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernels/src");
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let text: String = files.map(|file| std::fs::read_to_string(file).unwrap()).collect();
        let entries = ["#[ptx::kernel(", "extern \"ptx-kernel\""].map(|start| text.split(start).skip(1));
        let names = |rest: &'_ str| -> Vec<String> {
            let (attribute, rest) = rest.split_once(" fn ").unwrap();
            let name = rest.split(['(', '<']).next().unwrap();
            let Some((_, instances)) = attribute.split_once("instances(") else {
                return vec![name.to_owned()];
            };
            let words = |instance: &str| instance.split_once('>').unwrap().0.replace(", ", "_");
            instances.split('<').skip(1).map(|instance| format!("{name}_{}", words(instance))).collect()
        };
        let mut kernels: Vec<String> = entries.into_iter().flatten().flat_map(names).collect();
        let run = kernels::KERNELS
            .iter()
            .map(|kernel| kernel.name)
            .chain(["axpy_bulk"])
            .chain(library_checks::KERNELS)
            .chain(primitive_checks::KERNELS)
            .chain(half_checks::KERNELS)
            .chain(gemm_checks::KERNELS.iter().copied())
            .chain(attention_checks::KERNELS.iter().copied())
            .chain(decode_checks::KERNELS.iter().copied())
            .chain(attention_backward_checks::KERNELS)
            .chain(math_checks::KERNELS)
            .chain(tensor_checks::KERNELS);
        let mut listed: Vec<&str> = run.chain(NOT_RUN.iter().map(|(name, _)| *name)).collect();
        kernels.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, kernels);
    }
}
