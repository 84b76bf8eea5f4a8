//! `./x test`.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use cargo_metadata::camino::Utf8Path;
use cargo_metadata::{Message, TargetKind};
use clap::Args;
use xtask::progress;
use xtask::toolchain::Toolchain;

use super::{Setup, joined};

#[derive(Args)]
pub struct Options {
    /// Arguments of `cargo test`; `--workspace` is added unless they name packages. Without arguments, all tests run, three files
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
/// one thread begins with these files, and two threads with the rest; a thread without work takes a file from the end of the
/// other list.
const FOR_DEVICES: &[&str] = &[
    "golden",
    "coverage",
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

/// The longest of the other test files, longest first. `checked` and `canaries` compile for the device too: `checked` while
/// `golden` compiles for other targets, `canaries` last.
const LONG: &[&str] = &["checked", "project", "ui", "cases", "canaries"];

/// Tests that run together.
struct Job {
    /// The arguments with which `./x test` runs these tests.
    arguments: String,
    /// `cargo test` with those arguments, or the executables of the test files of one name.
    commands: Vec<Command>,
}

impl Job {
    /// Runs the tests and prints how they end. Returns the arguments if a test fails.
    fn failure(self) -> Result<Option<String>> {
        let Job { arguments, commands } = self;
        let start = Instant::now();
        let results =
            progress::step(&arguments, || commands.into_iter().map(output_of).collect::<Result<Vec<_>>>())?;
        let seconds = start.elapsed().as_secs();
        let mut stdout = std::io::stdout().lock();
        if results.iter().all(|(passed, _)| *passed) {
            writeln!(stdout, "{arguments}: ok, {seconds} s")?;
            return Ok(None);
        }
        let texts: String = results.into_iter().map(|(_, text)| text).collect();
        writeln!(stdout, "{arguments}: FAILED, {seconds} s\n\n{texts}")?;
        Ok(Some(arguments))
    }
}

/// Runs every test of the workspace, three test files at a time: a test often waits for a compiler, for cargo or for a lock.
/// Prints the output of the tests that fail.
fn all() -> Result<ExitCode> {
    let toolchain = Toolchain::active()?;
    let command = |program: &str| {
        let mut command = toolchain.command(program);
        command.current_dir(xtask::root()).env("CARGO_TARGET_DIR", toolchain.target_dir());
        // A failure says what to do, so backtraces are off unless the caller asks for them.
        if std::env::var_os("RUST_BACKTRACE").is_none() {
            command.env("RUST_BACKTRACE", "0");
        }
        command
    };
    let cargo = |arguments: &[&str]| {
        let mut cargo = command("cargo");
        cargo.args(["test", "--workspace"]).args(arguments);
        cargo
    };
    // Runs a test file without cargo, which would look for changes before each file. The variables that cargo set for `xtask` do
    // not apply to the file's package.
    let of_package = |program: &Utf8Path, folder: &Utf8Path| {
        let mut command = command(program.as_str());
        let names = std::env::vars_os().map(|(name, _)| name);
        let of_xtask = names.filter(|name| name.to_string_lossy().starts_with("CARGO_PKG_"));
        of_xtask.for_each(|name| _ = command.env_remove(name));
        command.env_remove("CARGO_MANIFEST_PATH").env("CARGO_MANIFEST_DIR", folder).current_dir(folder);
        command
    };
    let files = thread::scope(|scope| {
        // `core` is one crate, which takes one core of the machine. The tests compile on the other cores.
        let setup = scope.spawn(Setup::ready);
        let build = cargo(&["--no-run", "--message-format=json-render-diagnostics"]);
        let files = test_files(build, of_package)?;
        joined(setup)?;
        anyhow::Ok(files)
    })?;

    for name in FOR_DEVICES.iter().chain(LONG) {
        ensure!(files.contains_key(*name), "there is no test file `{name}`, which FOR_DEVICES or LONG names");
    }
    let (mut for_devices, mut rest) = (Vec::new(), Vec::new());
    for (name, commands) in files {
        let place = |list: &[&str]| list.iter().position(|listed| *listed == name);
        let (at, queue) = match place(FOR_DEVICES) {
            Some(at) => (at, &mut for_devices),
            None => (place(LONG).unwrap_or(LONG.len()), &mut rest),
        };
        queue.push((at, Job { arguments: format!("--test {name}"), commands }));
    }
    for arguments in [&["--lib", "--bins"][..], &["--doc"]] {
        let commands = vec![cargo(&[&["--no-fail-fast"], arguments].concat())];
        rest.push((LONG.len(), Job { arguments: arguments.join(" "), commands }));
    }
    let queue = |mut jobs: Vec<(usize, Job)>| -> VecDeque<Job> {
        jobs.sort_by_key(|(at, _)| *at);
        jobs.into_iter().map(|(_, job)| job).collect()
    };
    let queues = Mutex::new([queue(for_devices), queue(rest)]);
    // Runs the jobs of a queue, then those at the end of the other one. Returns those that fail.
    let failing = |own: usize| -> Result<Vec<String>> {
        let next = || {
            let mut queues = queues.lock().unwrap_or_else(PoisonError::into_inner);
            queues[own].pop_front().or_else(|| queues[1 - own].pop_back())
        };
        let mut failed = Vec::new();
        while let Some(job) = next() {
            failed.extend(job.failure()?);
        }
        Ok(failed)
    };
    let failing = &failing;
    let failed = thread::scope(|scope| {
        let workers = [0, 1, 1].map(|own| scope.spawn(move || failing(own)));
        workers.into_iter().map(joined).collect::<Result<Vec<_>>>()
    })?;
    let failed = failed.concat();
    ensure!(failed.is_empty(), "tests failed: `./x test {}`", failed.join("`, `./x test "));
    Ok(ExitCode::SUCCESS)
}

/// Compiles the tests of the workspace. Returns, by the name of the test file, the commands that `of_package` makes of its
/// executables and the folders of their packages.
fn test_files(
    mut cargo: Command,
    of_package: impl Fn(&Utf8Path, &Utf8Path) -> Command,
) -> Result<BTreeMap<String, Vec<Command>>> {
    let mut child = cargo.stdout(Stdio::piped()).spawn().context("cannot run cargo")?;
    let stdout = child.stdout.take().context("cargo has no output")?;
    let mut files: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for message in Message::parse_stream(BufReader::new(stdout)) {
        let Message::CompilerArtifact(artifact) = message.context("cannot read what cargo prints")? else {
            continue;
        };
        if let Some(executable) = artifact.executable
            && artifact.target.kind.contains(&TargetKind::Test)
        {
            let folder = artifact.manifest_path.parent().context("a manifest has a folder")?;
            files.entry(artifact.target.name).or_default().push(of_package(&executable, folder));
        }
    }
    ensure!(child.wait()?.success(), "the tests do not compile");
    Ok(files)
}

/// Runs a command. Returns true if it succeeds, and its output, both streams merged.
fn output_of(mut command: Command) -> Result<(bool, String)> {
    let (mut reader, writer) = std::io::pipe()?;
    command.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
    let mut child =
        command.spawn().with_context(|| format!("cannot run {}", command.get_program().display()))?;
    // Closes the command's ends of the pipe, so that reading ends.
    drop(command);
    let mut text = Vec::new();
    reader.read_to_end(&mut text)?;
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
