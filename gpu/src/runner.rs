//! Runs each check in its own process.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use wait_timeout::ChildExt as _;

use crate::check::Check;
use crate::device::Device;
use crate::options::Options;
use crate::report::{Outcome, Report};

/// The verdict that the child writes to its standard output, as JSON.
#[derive(Debug, Serialize, Deserialize)]
struct Verdict {
    outcome: Outcome,
    detail: String,
    data: Value,
}

/// Starts this program again for one check, and reports how it ended.
pub fn run_apart(name: &str, limit: Duration) -> Result<Report> {
    let program = std::env::current_exe().context("cannot find the file of this program")?;
    let mut command = Command::new(program);
    run_under(command.args(std::env::args_os().skip(1)).arg("--child").arg(name), name, limit)
}

/// Runs a command that runs one check, and reports how the check ended.
pub fn run_under(command: &mut Command, name: &str, limit: Duration) -> Result<Report> {
    let start = Instant::now();
    let (verdict, said) = run_command(command, limit).context("cannot start a process for the check")?;
    Ok(Report {
        name: name.into(),
        outcome: verdict.outcome,
        seconds: start.elapsed().as_secs_f64(),
        detail: verdict.detail,
        data: verdict.data,
        said,
    })
}

/// Runs the check in the child process, writes the verdict and exits.
pub fn run_here<D: Device>(check: &Check<D>, options: &Options) -> ! {
    let run = |device| {
        let finding = (check.run)(&device);
        // A drop would wait for a kernel that hangs.
        std::mem::forget(device);
        finding
    };
    let verdict = D::open(options).and_then(run).map_or_else(
        |error| Verdict {
            outcome: if is_hang(&error) { Outcome::Hung } else { Outcome::Failed },
            detail: format!("{error:#}"),
            data: Value::Null,
        },
        |finding| Verdict { outcome: Outcome::Passed, detail: finding.detail, data: finding.data },
    );
    let mut stdout = io::stdout().lock();
    let written = serde_json::to_writer(&mut stdout, &verdict).is_ok() && stdout.flush().is_ok();
    // SAFETY: the process ends here. `_exit` skips the driver's exit handlers, which would wait for a kernel that hangs.
    unsafe { libc::_exit(if written { 0 } else { 1 }) }
}

fn is_hang(error: &anyhow::Error) -> bool {
    let is_timeout = |cause: &(dyn std::error::Error + 'static)| {
        matches!(cause.downcast_ref(), Some(ptx_host::Error::Timeout { .. }))
    };
    error.chain().any(is_timeout)
}

/// Returns the verdict of a process, and what it wrote to its standard error.
fn run_command(command: &mut Command, limit: Duration) -> io::Result<(Verdict, String)> {
    // The streams are files, not pipes: a reader of a pipe would wait for a child that hangs.
    let (mut stdout, mut stderr) = (tempfile::tempfile()?, tempfile::tempfile()?);
    let mut child =
        command.stdin(Stdio::null()).stdout(stdout.try_clone()?).stderr(stderr.try_clone()?).spawn()?;
    let Some(status) = child.wait_timeout(limit)? else {
        let end = kill(&mut child)?;
        let detail = format!("hang: its process was not done after {limit:?}; {end}");
        let verdict = Verdict { outcome: Outcome::Hung, detail, data: Value::Null };
        return Ok((verdict, read_all(&mut stderr)?));
    };
    let (verdict, said) = (read_all(&mut stdout)?, read_all(&mut stderr)?);
    if let (true, Ok(verdict)) = (status.success(), serde_json::from_str(&verdict)) {
        return Ok((verdict, said));
    }
    let detail = describe_crash(status, &said);
    Ok((Verdict { outcome: Outcome::Failed, detail, data: Value::Null }, said))
}

fn kill(child: &mut Child) -> io::Result<&'static str> {
    const GRACE: Duration = Duration::from_secs(10);
    child.kill()?;
    Ok(match child.wait_timeout(GRACE)? {
        Some(_) => "killed",
        None => "killed, but the driver keeps the process alive",
    })
}

fn read_all(file: &mut File) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn describe_crash(status: ExitStatus, stderr: &str) -> String {
    const LINES: usize = 5;
    let lines: Vec<_> = stderr.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = lines[lines.len().saturating_sub(LINES)..].join(" | ");
    let said = if last.is_empty() { "it printed nothing" } else { &last };
    format!("its process ended without a verdict ({status}): {said}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(script: &str, limit: Duration) -> Verdict {
        run_command(Command::new("sh").args(["-c", script]), limit).unwrap().0
    }

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn a_verdict_is_taken_over() {
        let verdict = run(r#"echo '{"outcome":"passed","detail":"fine","data":{"ratio":0.5}}'"#, LONG);
        assert_eq!((verdict.outcome, verdict.detail.as_str()), (Outcome::Passed, "fine"));
        assert_eq!(verdict.data["ratio"], 0.5);
    }

    #[test]
    fn a_process_that_does_not_end_is_killed_and_reported_as_a_hang() {
        let start = Instant::now();
        let verdict = run("exec sleep 600", Duration::from_millis(100));
        assert_eq!(verdict.outcome, Outcome::Hung);
        assert_eq!(verdict.detail, "hang: its process was not done after 100ms; killed");
        assert!(start.elapsed() < LONG);
    }

    #[test]
    fn a_crash_is_a_failure_with_its_signal_and_last_words() {
        let verdict = run("echo the last words >&2; kill -SEGV $$", LONG);
        assert_eq!(verdict.outcome, Outcome::Failed);
        assert!(
            verdict.detail.contains("signal: 11") && verdict.detail.ends_with("the last words"),
            "{verdict:?}"
        );
    }

    #[test]
    fn a_verdict_of_a_process_that_failed_does_not_count() {
        let verdict = run(r#"echo '{"outcome":"passed","detail":"fine","data":null}'; exit 1"#, LONG);
        assert_eq!(verdict.outcome, Outcome::Failed);
        assert_eq!(run("echo nonsense", LONG).outcome, Outcome::Failed);
    }

    #[test]
    fn what_a_process_says_is_kept_beside_its_verdict() {
        let script = r#"echo why >&2; echo '{"outcome":"failed","detail":"wrong","data":null}'"#;
        let (verdict, said) = run_command(Command::new("sh").args(["-c", script]), LONG).unwrap();
        assert_eq!((verdict.detail.as_str(), said.as_str()), ("wrong", "why\n"));
    }

    #[test]
    fn a_timeout_is_a_hang_under_any_context() {
        let timeout = ptx_host::Error::Timeout { work: "kernel `k`".into(), after: LONG };
        let launch = ptx_host::Error::NoDriver { reason: "none".into() };
        assert!(is_hang(&anyhow::Error::from(timeout).context("seed 3")));
        assert!(!is_hang(&launch.into()));
    }
}
