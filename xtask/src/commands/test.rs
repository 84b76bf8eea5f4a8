//! `./x test`.

use std::collections::{BTreeSet, VecDeque};
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use cargo_metadata::{MetadataCommand, TargetKind};
use clap::Args;
use xtask::progress;
use xtask::toolchain::Toolchain;

use super::{Setup, joined};

#[derive(Args)]
pub struct Options {
    /// Arguments of `cargo test`; `--workspace` is added unless they name packages. Without arguments, all tests run, two files
    /// at a time
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "CARGO TEST ARGUMENTS")]
    arguments: Vec<String>,
}

pub fn run(options: &Options) -> Result<ExitCode> {
    if options.arguments.is_empty() {
        return all();
    }
    let setup = Setup::ready()?;
    let mut cargo = setup.toolchain.cargo();
    cargo.arg("test");
    if !names_packages(&options.arguments) {
        cargo.arg("--workspace");
    }
    Err(cargo.args(&options.arguments).exec()).context("cannot run cargo")
}

/// Test files that compile for the device. Two of them would wait for each other, since the folder of each target has a lock. So
/// one thread begins with these, and another one with the rest; a thread without work takes from the end of the other's list.
const FOR_DEVICES: &[&str] = &[
    "golden",
    "canaries",
    "checked",
    "bench",
    "sass",
    "kernel",
    "link",
    "device",
    "examples",
    "print",
    "adding",
    "typed",
    "unrun_kernels",
    "readme",
    "book",
];

/// The longest of the rest. `coverage` compiles for the device too, for a target that `golden` is mostly done with by then.
const LONG: &[&str] = &["ui", "project", "coverage", "cases"];

/// Runs every test of the workspace, two test files at a time: a test mostly waits for a compiler that uses one core. Prints the
/// output of the tests that fail.
fn all() -> Result<ExitCode> {
    let toolchain = Toolchain::active()?;
    let cargo = || {
        let mut cargo = toolchain.cargo();
        cargo.current_dir(xtask::root()).args(["test", "--workspace"]);
        // A failure says what to do, so backtraces are off unless the caller asks for them.
        if std::env::var_os("RUST_BACKTRACE").is_none() {
            cargo.env("RUST_BACKTRACE", "0");
        }
        cargo
    };
    thread::scope(|scope| {
        // `core` is one crate, which takes one core of the machine: the tests compile on the others.
        let setup = scope.spawn(Setup::ready);
        let compiled = cargo().arg("--no-run").status().context("cannot run cargo")?;
        ensure!(compiled.success(), "the tests do not compile");
        joined(setup)
    })?;

    let place = |list: &[&str], job: &Vec<String>| {
        list.iter().position(|name| job.last().is_some_and(|it| it == name))
    };
    let mut jobs: Vec<Vec<String>> = vec![vec!["--lib".into(), "--bins".into()]];
    let files = test_files()?;
    for name in FOR_DEVICES.iter().chain(LONG) {
        ensure!(files.contains(*name), "there is no test file `{name}`, which FOR_DEVICES or LONG names");
    }
    jobs.extend(files.into_iter().map(|name| vec!["--test".into(), name]));
    jobs.push(vec!["--doc".into()]);
    let (mut for_devices, mut rest): (VecDeque<_>, VecDeque<_>) =
        jobs.into_iter().partition(|job| place(FOR_DEVICES, job).is_some());
    for_devices.make_contiguous().sort_by_key(|job| place(FOR_DEVICES, job));
    rest.make_contiguous().sort_by_key(|job| place(LONG, job).unwrap_or(LONG.len()));
    let passes = |arguments: &[String]| -> Result<bool> {
        let name = arguments.join(" ");
        let start = Instant::now();
        let (passed, text) =
            progress::step(&name, || output_of(cargo().arg("--no-fail-fast").args(arguments)))?;
        let seconds = start.elapsed().as_secs();
        let mut stdout = std::io::stdout().lock();
        if passed {
            writeln!(stdout, "{name}: ok, {seconds} s")?;
        } else {
            writeln!(stdout, "{name}: FAILED, {seconds} s\n\n{text}")?;
        }
        Ok(passed)
    };
    let queues = Mutex::new([for_devices, rest]);
    // Runs the jobs of a queue, then those at the end of the other one. Returns those that fail.
    let failing = |own: usize| -> Result<Vec<String>> {
        let next = || {
            let mut queues = queues.lock().unwrap_or_else(PoisonError::into_inner);
            queues[own].pop_front().or_else(|| queues[1 - own].pop_back())
        };
        let mut failed = Vec::new();
        while let Some(job) = next() {
            if !passes(&job)? {
                failed.push(job.join(" "));
            }
        }
        Ok(failed)
    };
    let failed = thread::scope(|scope| -> Result<_> {
        let rest = scope.spawn(|| failing(1));
        Ok([failing(0)?, joined(rest)?].concat())
    })?;
    ensure!(failed.is_empty(), "tests failed: `./x test {}`", failed.join("`, `./x test "));
    Ok(ExitCode::SUCCESS)
}

/// Returns the names of the workspace's test files. `cargo test --test` runs all files of a name.
fn test_files() -> Result<BTreeSet<String>> {
    let metadata = MetadataCommand::new().current_dir(xtask::root()).no_deps().exec();
    let packages = metadata.context("cannot read the workspace")?.packages;
    let targets = packages.into_iter().flat_map(|package| package.targets);
    let tests = targets.filter(|target| target.kind.contains(&TargetKind::Test));
    Ok(tests.map(|target| target.name).collect())
}

/// Runs a command. Returns true if it succeeds, and its output, both streams merged.
fn output_of(command: &mut Command) -> Result<(bool, String)> {
    let (mut reader, writer) = std::io::pipe()?;
    command.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
    let mut child = command.spawn().context("cannot run cargo")?;
    // Closes the command's ends of the pipe, so that reading ends.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut text = Vec::new();
    std::io::Read::read_to_end(&mut reader, &mut text)?;
    Ok((child.wait()?.success(), String::from_utf8_lossy(&text).into_owned()))
}

fn names_packages(arguments: &[String]) -> bool {
    let of_cargo = arguments.iter().take_while(|argument| *argument != "--");
    of_cargo.into_iter().any(|argument| argument.starts_with("-p") || argument.starts_with("--package"))
}

#[cfg(test)]
mod tests {
    use super::names_packages;

    #[test]
    fn packages_are_seen_before_the_tests_own_arguments() {
        let arguments = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert!(names_packages(&arguments("-p xtask name")));
        assert!(names_packages(&arguments("--package=xtask")));
        assert!(!names_packages(&arguments("name --release")));
        assert!(!names_packages(&arguments("name -- -p")));
    }
}
