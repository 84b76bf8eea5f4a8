//! `./x mutate`.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};
use std::sync::Mutex;
use std::thread;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use serde::Deserialize;
use xtask::device::{self, Arch, Build};
use xtask::mutate::{Missed, Mutation, mutations};
use xtask::toolchain::Toolchain;
use xtask::{files, root};

use super::kernels;

const PROGRAM: &str = "ptx-gpu";
/// The maximum of instructions of a launch, and the stricter readings of the ISA that the kernels fulfill.
const SETTINGS: [&str; 3] = ["--emulated", "--limit=2000000000", "--readings=exchanges,init,peers"];
/// The number of schedules of each launch.
const FEW: u32 = 2;
/// The same for a mutation that few schedules do not find, and that no reason explains: some show only in a rare order.
const MANY: u32 = 24;

/// The end of the name of a kernel's file, after the kernel's name, and of the names of its checks.
const IMAGE: &str = "O3.ptx";

#[derive(Args)]
pub struct Options {
    /// Mutate these kernels only
    #[arg(value_name = "KERNEL")]
    kernels: Vec<String>,
}

/// The verdict that `ptx-gpu` prints for a check.
#[derive(Deserialize)]
struct Verdict {
    outcome: String,
    detail: String,
}

/// Runs the checks of kernels in the interpreter.
struct Runner {
    program: PathBuf,
    folder: PathBuf,
}

pub fn run(options: &Options) -> Result<ExitCode> {
    let toolchain = Toolchain::active()?;
    let all = kernels(&toolchain, Build::new("kernels", Arch::Sm90a), None)?;
    let names: BTreeSet<&str> = all.iter().map(|kernel| kernel.name.as_str()).collect();
    if let Some(unknown) = options.kernels.iter().find(|name| !names.contains(name.as_str())) {
        bail!("kernels/ has no kernel `{unknown}`; the kernels are {}", Vec::from_iter(names).join(", "));
    }
    let missed = Missed::read()?;
    let runner = Runner::new(&toolchain)?;
    let mut run: BTreeMap<String, BTreeMap<String, bool>> = BTreeMap::new();
    for kernel in
        all.iter().filter(|kernel| options.kernels.is_empty() || options.kernels.contains(&kernel.name))
    {
        let checks = runner.checks_of(&kernel.name, &kernel.text)?;
        if checks.is_empty() {
            println!("{}: {PROGRAM} has no check that an emulated device can run", kernel.name);
            run.insert(kernel.name.clone(), BTreeMap::new());
            continue;
        }
        if let Some(problem) = runner.problem(&kernel.name, &kernel.text, 0, &checks, FEW)? {
            bail!("{}, as it is, fails its check: {problem}", kernel.name);
        }
        let mutations = mutations(&kernel.text);
        println!("{}: {} mutations", kernel.name, mutations.len());
        let report = |mutation: &Mutation, problem: &Option<String>| {
            let verdict = match (problem, missed.reason(&kernel.name, &mutation.name)) {
                (Some(problem), _) => format!("found: {problem}"),
                (None, Some(reason)) => format!("not found, see [{reason}]"),
                (None, None) => "MISSED".into(),
            };
            println!("    line {}: {}: {verdict}", mutation.line, mutation.name);
        };
        let is_explained = |mutation: &Mutation| missed.reason(&kernel.name, &mutation.name).is_some();
        let found = runner.found(&kernel.name, &mutations, &checks, is_explained, report)?;
        run.insert(kernel.name.clone(), found);
    }
    let count =
        |found: bool| run.values().flat_map(BTreeMap::values).filter(|known| **known == found).count();
    println!("{} found, {} not found", count(true), count(false));
    let faults = missed.faults(&run, &names);
    faults.iter().for_each(|fault| println!("{fault}"));
    Ok(if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl Runner {
    fn new(toolchain: &Toolchain) -> Result<Self> {
        let program = device::workspace_program(toolchain, PROGRAM, "release")?;
        Ok(Self { program, folder: root().join("target/mutate") })
    }

    /// Returns the names of the checks of a kernel: `KERNEL/O3.ptx`, or `KERNEL/…/O3.ptx`.
    fn checks_of(&self, kernel: &str, text: &str) -> Result<Vec<String>> {
        let folder = self.write(kernel, text, 0)?;
        let list = self.command(&folder, ["--list".as_ref()], FEW)?;
        ensure!(list.status.success(), "`{PROGRAM} --list` ended with {}", list.status);
        let list = String::from_utf8_lossy(&list.stdout);
        let of_kernel = |check: &&str| {
            check.split('/').next() == Some(kernel) && check.split('/').next_back() == Some(IMAGE)
        };
        Ok(list.lines().filter(of_kernel).map(Into::into).collect())
    }

    /// Writes a kernel into the folder of a worker, and returns the folder.
    fn write(&self, kernel: &str, text: &str, worker: usize) -> Result<PathBuf> {
        let folder = self.folder.join(worker.to_string());
        files::write(&folder.join(format!("{kernel}-{IMAGE}")), text)?;
        Ok(folder)
    }

    /// Runs the program on the kernels of a folder.
    fn command<const N: usize>(
        &self,
        folder: &Path,
        arguments: [&OsStr; N],
        schedules: u32,
    ) -> Result<Output> {
        let mut command = Command::new(&self.program);
        command.args(SETTINGS).arg(format!("--schedules={schedules}"));
        command.arg("--dir").arg(folder).args(arguments);
        command.output().with_context(|| format!("cannot run {}", self.program.display()))
    }

    /// Returns whether each mutation is found. Calls `report` for each as soon as it is known: a kernel can take minutes.
    fn found(
        &self,
        kernel: &str,
        mutations: &[Mutation],
        checks: &[String],
        is_explained: impl Fn(&Mutation) -> bool + Sync,
        report: impl Fn(&Mutation, &Option<String>) + Sync,
    ) -> Result<BTreeMap<String, bool>> {
        let next = Mutex::new(mutations.iter());
        let take = || next.lock().map(|mut next| next.next()).unwrap_or_default();
        let work = |worker: usize| -> Result<Vec<(String, bool)>> {
            let mut done = Vec::new();
            while let Some(mutation) = take() {
                let mut problem = self.problem(kernel, &mutation.text, worker, checks, FEW)?;
                if problem.is_none() && !is_explained(mutation) {
                    problem = self.problem(kernel, &mutation.text, worker, checks, MANY)?;
                }
                report(mutation, &problem);
                done.push((mutation.name.clone(), problem.is_some()));
            }
            Ok(done)
        };
        let workers = thread::available_parallelism().map_or(1, usize::from);
        thread::scope(|scope| {
            let workers: Vec<_> = (0..workers).map(|worker| scope.spawn(move || work(worker))).collect();
            let mut found = BTreeMap::new();
            for worker in workers {
                found.extend(super::joined(worker)?);
            }
            Ok(found)
        })
    }

    /// Runs a kernel's checks on a module. Returns the first problem.
    fn problem(
        &self,
        kernel: &str,
        text: &str,
        worker: usize,
        checks: &[String],
        schedules: u32,
    ) -> Result<Option<String>> {
        let folder = self.write(kernel, text, worker)?;
        for check in checks {
            if let Some(problem) = self.check(&folder, check, schedules)? {
                return Ok(Some(problem));
            }
        }
        Ok(None)
    }

    fn check(&self, folder: &Path, check: &str, schedules: u32) -> Result<Option<String>> {
        let output = self.command(folder, ["--child".as_ref(), check.as_ref()], schedules)?;
        let said = String::from_utf8_lossy(&output.stderr);
        let verdict: Verdict = serde_json::from_slice(&output.stdout)
            .with_context(|| format!("{PROGRAM} gave no verdict on {check}: {said}"))?;
        if verdict.outcome == "passed" {
            return Ok(None);
        }
        Ok(Some(problem(&verdict.detail).into()))
    }
}

/// Returns the line of a verdict that says what is wrong: after the number of the schedule stands the interpreter's finding.
fn problem(detail: &str) -> &str {
    let mut lines = detail.lines();
    let first = lines.next().unwrap_or_default();
    if first.ends_with(':') { lines.next().unwrap_or(first) } else { first }
}

#[cfg(test)]
mod tests {
    use super::problem;

    #[test]
    fn a_finding_stands_after_its_schedule() {
        let finding = "seed 2: schedule 1:\ndata race in `k` (PTX ISA 8.7.1)\n    thread 3\n";
        assert_eq!(problem(finding), "data race in `k` (PTX ISA 8.7.1)");
        let wrong = "seed 2: 4 of 512 words are wrong; the first is out[1]: got 0x7, want 0x2";
        assert_eq!(problem(wrong), wrong);
        assert_eq!(problem("no kernel"), "no kernel");
        assert_eq!(problem(""), "");
    }
}
