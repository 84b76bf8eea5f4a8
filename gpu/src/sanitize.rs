//! The tools of compute-sanitizer over the kernels. A report fails a check, unless `sanitizer.toml` says why the report is false.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;
use serde_json::json;

use crate::check::{Check, Finding, OVERHEAD};
use crate::options::Options;
use crate::report::Outcome;
use crate::{image, registry, runner};

const TOOLS: [&str; 4] = ["memcheck", "racecheck", "synccheck", "initcheck"];
const EXPLANATIONS: &str = include_str!("sanitizer.toml");
/// The time limit of one check under one tool. A tool can make a check some hundred times slower.
const LIMIT: Duration = Duration::from_secs(300);
/// The start of each line that a tool writes.
const MARK: &str = "=========";

#[derive(Deserialize)]
struct Explanations {
    #[serde(default)]
    report: Vec<Explanation>,
}

/// The reason why reports are false.
#[derive(Debug, Deserialize, Clone)]
#[serde(deny_unknown_fields)]
struct Explanation {
    tool: String,
    /// Names of checks, such as `barrier_handoff`.
    checks: Vec<String>,
    /// A part of the first line of each report that the reason covers.
    text: String,
    why: String,
}

fn explanations() -> Result<Vec<Explanation>> {
    Ok(toml::from_str::<Explanations>(EXPLANATIONS).context("sanitizer.toml is wrong")?.report)
}

/// Makes a check for each tool and each check of the machine code that is shipped.
pub fn list(options: &Options) -> Result<Vec<Check>> {
    let sanitizer = find(options)?;
    let (explanations, shipped) = (explanations()?, image::shipped(options));
    let mut checks = Vec::new();
    for check in registry::all(options)? {
        let Some(kernel) = kernel_of(&check.name, &shipped) else { continue };
        for tool in TOOLS {
            let known =
                explanations.iter().filter(|known| known.tool == tool && known.checks.contains(&kernel));
            let known: Vec<_> = known.cloned().collect();
            let (sanitizer, options_of_check, name) =
                (sanitizer.clone(), options.clone(), check.name.clone());
            let run = move |_: &_| run(&sanitizer, &options_of_check, tool, &name, &known);
            checks.push(Check::new(format!("{tool}/{kernel}"), options, run).at_least(LIMIT + OVERHEAD));
        }
    }
    Ok(checks)
}

/// Returns the name of a check without its build and kind, if the check runs what is shipped. Bandwidth checks are left out:
/// times mean nothing under a tool.
fn kernel_of(name: &str, shipped: &str) -> Option<String> {
    let parts: Vec<_> = name.split('/').collect();
    let is_run = parts.contains(&shipped) && !parts.contains(&"bandwidth");
    is_run.then(|| parts.into_iter().filter(|part| *part != shipped).collect::<Vec<_>>().join("/"))
}

/// Returns the program in the bundle, or else that of an installed CUDA.
fn find(options: &Options) -> Result<PathBuf> {
    const PROGRAM: &str = "compute-sanitizer";
    let bundled = options.dir()?.join(PROGRAM).join(PROGRAM);
    let found =
        [bundled, "/usr/local/cuda/bin/compute-sanitizer".into()].into_iter().find(|path| path.exists());
    found.with_context(|| {
        format!("no {PROGRAM} in the bundle: make it with `./x bundle --sanitizer DIR`, or install CUDA")
    })
}

fn run(
    sanitizer: &Path,
    options: &Options,
    tool: &str,
    name: &str,
    known: &[Explanation],
) -> Result<Finding> {
    let scratch = tempfile::tempdir()?;
    let log = scratch.path().join("log");
    let mut command = Command::new(sanitizer);
    command.arg("--tool").arg(tool).arg("--log-file").arg(&log).args(["--print-limit", "1000"]);
    if tool == "memcheck" {
        // Some driver calls fail on purpose: those that count parameters, and those in checks of refusals.
        command.args(["--report-api-errors", "no"]);
    }
    command.arg(std::env::current_exe().context("cannot find the file of this program")?);
    command.arg("--dir").arg(options.dir()?).arg("--device").arg(options.device.to_string());
    // A launch takes longer under a tool, and the smaller inputs of `--quick` are enough.
    command.args(["--quick", "--timeout", "240", "--child", name]);
    let report = runner::run_under(&mut command, name, LIMIT)?;
    let log = fs::read_to_string(&log).with_context(|| {
        format!("{tool} wrote nothing: {} {}", report.detail, report.said.lines().last().unwrap_or_default())
    })?;
    let reports = reports(&log).with_context(|| format!("{tool} did not end:\n{log}"))?;
    let is_known = |first: &str| known.iter().any(|known| first.contains(&known.text));
    let unexplained: Vec<_> = reports.keys().filter(|first| !is_known(first)).collect();
    if !unexplained.is_empty() {
        eprintln!("{log}");
    }
    ensure!(unexplained.is_empty(), "{unexplained:?}");
    ensure!(report.outcome == Outcome::Passed, "the check itself: {}", report.detail);
    if let Some(absent) = known.iter().find(|known| !reports.keys().any(|first| first.contains(&known.text)))
    {
        eprintln!("not reported: {}", absent.text);
    }
    let count: usize = reports.values().sum();
    let why: Vec<_> = known.iter().map(|known| known.why.trim()).collect();
    let detail = match count {
        0 => String::new(),
        count => format!("{count} false reports: {}", why.join(" ")),
    };
    Ok(Finding { detail, data: json!({ "reports": count }) })
}

/// Returns the first lines of the reports, and how often each occurs; or `None` if the log has no summary.
fn reports(log: &str) -> Option<BTreeMap<String, usize>> {
    let mut reports = BTreeMap::new();
    let mut has_summary = false;
    for line in log.lines() {
        let Some(text) = line.strip_prefix(MARK).and_then(|text| text.strip_prefix(' ')) else { continue };
        has_summary |= text.contains("SUMMARY");
        let is_first = !text.starts_with(char::is_whitespace) && !text.is_empty();
        if is_first && !text.contains("SUMMARY") && text != "COMPUTE-SANITIZER" {
            *reports.entry(text.to_owned()).or_default() += 1;
        }
    }
    has_summary.then_some(reports)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn explanations_name_a_tool_and_a_check() {
        let explanations = explanations().unwrap();
        for of in &explanations {
            assert!(TOOLS.contains(&&of.tool[..]) && !of.checks.is_empty(), "{of:?}");
            assert!(!of.text.is_empty() && of.why.trim().ends_with('.'), "{of:?}");
        }
    }

    #[test]
    fn what_is_shipped_is_run() {
        let kernel_of = |name: &str| kernel_of(name, &image::shipped(&Options::default()));
        assert_eq!(kernel_of("barrier_handoff/O3.cubin").unwrap(), "barrier_handoff");
        assert_eq!(kernel_of("axpy_bulk/seeds/O3.cubin").unwrap(), "axpy_bulk/seeds");
        for name in ["axpy_bulk/bandwidth/O3.cubin", "axpy/O3.ptx", "axpy/nvcc.cubin", "host/launches"] {
            assert_eq!(kernel_of(name), None, "{name}");
        }
    }

    #[test]
    fn reports_begin_at_the_margin() {
        let log = "========= COMPUTE-SANITIZER\n\
             ========= Error: Race reported between Write access at kernel+0x1a0\n\
             =========     and Read access at kernel+0x2b0 [16 hazards]\n\
             ========= \n\
             ========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n";
        let found = reports(log).unwrap();
        let first = "Error: Race reported between Write access at kernel+0x1a0".to_owned();
        assert_eq!(found, BTreeMap::from([(first, 1)]));
        assert_eq!(
            reports("========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n").unwrap().len(),
            0
        );
        assert!(reports("========= COMPUTE-SANITIZER\n").is_none());
    }
}
