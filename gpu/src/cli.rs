//! The command line of `ptx-gpu`.

use std::panic::resume_unwind;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use clap::{Parser, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};

use crate::check::Check;
use crate::device::{Device, Interpreter};
use crate::options::{Emulated, Options};
use crate::report::{Report, Totals, write_json};
use crate::{bench, data, litmus_checks, registry, runner, sanitize, soak, sweep};

const FAILED: u8 = 1;
const UNUSABLE: u8 = 2;
const NO_GPU: u8 = 3;

/// Checks every element of the results of the kernels of `ptx` on a GPU, and measures bandwidth beside a device-to-device copy.
///
/// Exit status: 0: all checks passed, 1: some failed or hung, 2: bad arguments or files, 3: no usable GPU.
#[derive(Parser)]
#[command(version, subcommand_precedence_over_arg = true)]
struct Cli {
    #[command(flatten)]
    options: Options,
    #[command(subcommand)]
    command: Option<Mode>,
    /// Run only the checks whose names contain one of these
    #[arg(value_name = "CHECK")]
    checks: Vec<String>,
}

#[derive(Subcommand)]
enum Mode {
    /// Checks and times every variant of axpy_bulk: DIR/sweep/axpy_bulk_s<stages>_t<tile KiB>.cubin
    Sweep {
        /// Run only the variants whose names contain one of these
        #[arg(value_name = "VARIANT")]
        variants: Vec<String>,
    },
    /// Runs the litmus tests of the memory model, and counts their outcomes
    Litmus {
        /// Run only the tests whose names contain one of these
        #[arg(value_name = "TEST")]
        tests: Vec<String>,
    },
    /// Runs kernels until 10^9 phases of mbarriers and 10^8 bulk copies are done, and checks the results
    Soak {
        /// Run only the soaks whose names contain one of these
        #[arg(value_name = "KERNEL")]
        kernels: Vec<String>,
    },
    /// Runs the checks under the tools of compute-sanitizer: DIR/compute-sanitizer, or an installed CUDA
    Sanitize {
        /// Run only the checks whose names contain one of these: a tool, a kernel
        #[arg(value_name = "CHECK")]
        checks: Vec<String>,
    },
    /// Checks and times each kernel beside its twin in CUDA C++: DIR/<kernel>-nvcc.cubin
    Bench {
        /// Run only the kernels whose names contain one of these
        #[arg(value_name = "KERNEL")]
        kernels: Vec<String>,
    },
}

/// Runs the program.
pub fn main() -> ExitCode {
    run(&Cli::parse()).unwrap_or_else(|error| {
        eprintln!("ptx-gpu: {error:#}");
        ExitCode::from(UNUSABLE)
    })
}

fn run(cli: &Cli) -> Result<ExitCode> {
    let options = &cli.options;
    if options.emulated == Some(Emulated::Interpreter) {
        ensure!(
            cli.command.is_none(),
            "the interpreter runs the checks of kernels alone: leave the subcommand or --emulated out"
        );
        return run_on::<Interpreter>(cli, registry::of_kernels(options)?, &cli.checks);
    }
    ensure!(
        !options.are_of_interpreter(),
        "--schedules, --seed, --limit, --readings and --trace are options of the interpreter: give --emulated alone, or leave \
         them out"
    );
    let (checks, parts) = match &cli.command {
        None => (registry::all(options)?, &cli.checks),
        Some(Mode::Sweep { variants }) => (sweep::list(options)?, variants),
        Some(Mode::Litmus { tests }) => (litmus_checks::list(options)?, tests),
        Some(Mode::Soak { kernels }) => (soak::list(options)?, kernels),
        Some(Mode::Sanitize { checks }) => (sanitize::list(options)?, checks),
        Some(Mode::Bench { kernels }) => (bench::list(options)?, kernels),
    };
    run_on(cli, checks, parts)
}

/// Runs the checks on a device.
fn run_on<D: Device>(cli: &Cli, checks: Vec<Check<D>>, parts: &[String]) -> Result<ExitCode> {
    let options = &cli.options;
    if let Some(name) = &options.child {
        let check = checks.iter().find(|check| check.name == *name);
        runner::run_here(check.with_context(|| format!("no check is called {name}"))?, options);
    }
    if let Some(file) = &options.file {
        data::read_floats(file)?;
    }
    let checks = registry::select(checks, parts)?;
    if options.list {
        checks.iter().for_each(|check| println!("{}", check.name));
        return Ok(ExitCode::SUCCESS);
    }

    let device = match D::open(options) {
        Ok(device) => Ok(device.describe()?),
        Err(error) => Err(error.downcast::<ptx_host::Error>()?),
    };
    let reports = match &device {
        Ok((name, _)) => run_all(name, &checks, options)?,
        Err(error) => skip_all(error, checks),
    };
    if let Some(path) = &options.json {
        write_json(path, device.as_ref().ok().map(|(_, data)| data), &reports)?;
    }
    match &cli.command {
        Some(Mode::Sweep { .. }) if device.is_ok() => print!("\n{}", sweep::table(&reports)),
        Some(Mode::Soak { .. }) if device.is_ok() => println!("\n{}", soak::totals(&reports)),
        Some(Mode::Bench { .. }) if device.is_ok() => print!("\n{}", bench::table(&reports)),
        _ => {}
    }
    let totals = Totals::of(&reports);
    println!("\n{totals}");
    Ok(match device {
        Err(_) => ExitCode::from(NO_GPU),
        Ok(_) if totals.failed > 0 => ExitCode::from(FAILED),
        Ok(_) => ExitCode::SUCCESS,
    })
}

fn run_all<D>(device: &str, checks: &[Check<D>], options: &Options) -> Result<Vec<Report>> {
    println!("{device}\n");
    let style = ProgressStyle::with_template("{spinner} [{pos}/{len}] {msg} {elapsed}")?;
    let progress = ProgressBar::new(checks.len() as u64).with_style(style);
    progress.enable_steady_tick(Duration::from_millis(200));
    // The threads get names and limits only: the functions of the checks stay in this thread.
    let names: Vec<_> = checks.iter().map(|check| (check.name.clone(), check.limit)).collect();
    let queue = Mutex::new(names.into_iter());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || -> Result<Vec<Report>> {
        let mut reports = Vec::new();
        while let Some((name, limit)) = next() {
            progress.set_message(name.clone());
            let report = runner::run_apart(&name, limit)?;
            progress.suspend(|| println!("{report}{}", report.findings(options.is_emulated())));
            progress.inc(1);
            reports.push(report);
        }
        Ok(reports)
    };
    let reports = thread::scope(|scope| {
        let workers: Vec<_> = (0..options.jobs()).map(|_| scope.spawn(work)).collect();
        let ends =
            workers.into_iter().map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic)));
        ends.collect::<Result<Vec<_>>>()
    });
    progress.finish_and_clear();
    let mut reports: Vec<_> = reports?.into_iter().flatten().collect();
    reports.sort_by_key(|report| checks.iter().position(|check| check.name == report.name));
    Ok(reports)
}

fn skip_all<D>(error: &ptx_host::Error, checks: Vec<Check<D>>) -> Vec<Report> {
    let problem = if error.is_no_gpu() { "no GPU to run on" } else { "the GPU cannot be used" };
    println!("{problem}: {error}\n");
    let reports: Vec<_> = checks.into_iter().map(|check| Report::skipped(check.name)).collect();
    reports.iter().for_each(|report| println!("skip  {}", report.name));
    reports
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn options_stand_before_or_after_the_subcommand() {
        for line in [["ptx-gpu", "--quick", "sweep", "s3"], ["ptx-gpu", "sweep", "s3", "--quick"]] {
            let cli = Cli::parse_from(line);
            assert!(cli.options.quick && cli.checks.is_empty());
            assert!(matches!(cli.command, Some(Mode::Sweep { variants }) if variants == ["s3"]));
        }
        let cli = Cli::parse_from(["ptx-gpu", "lengths", "--dir", "d", "host/"]);
        assert!(cli.command.is_none() && cli.checks == ["lengths", "host/"]);
    }
}
