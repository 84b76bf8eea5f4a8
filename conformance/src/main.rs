//! `conformance`: see `conformance --help`.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Parser, Subcommand};
use indicatif::{ParallelProgressIterator as _, ProgressBar, ProgressStyle};
use ptx_conformance::case::Case;
use ptx_conformance::{compare, emu, families, form};
use rayon::prelude::*;

/// Runs every form of `ptx::raw` in the interpreter and on a GPU, and compares the results.
#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs cases in the interpreter, under several schedules: all give the same, and none has a finding
    Emu(Emu),
    /// Prints the kernels of cases
    Show(Selection),
}

#[derive(Args)]
struct Selection {
    /// The folder of the forms
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/golden/raw"))]
    forms: PathBuf,
    /// Only the cases whose name (`family/row: instruction`) contains one of these
    filter: Vec<String>,
}

impl Selection {
    fn forms(&self) -> Result<Vec<form::Form>> {
        form::read(&self.forms)
    }

    fn cases<'f>(&self, forms: &'f [form::Form]) -> Vec<Case<'f>> {
        let cases = forms.iter().flat_map(families::cases);
        let wanted = |case: &Case<'_>| {
            let name = case.name();
            self.filter.is_empty() || self.filter.iter().any(|part| name.contains(part))
        };
        cases.filter(wanted).collect()
    }
}

#[derive(Args)]
struct Emu {
    #[command(flatten)]
    selection: Selection,
    /// Schedules of each run
    #[arg(long, default_value_t = 8)]
    schedules: u64,
}

fn bar(count: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed}")
        .unwrap_or(ProgressStyle::default_bar());
    ProgressBar::new(count as u64).with_style(style)
}

/// What is wrong with a case in the interpreter.
fn problem(case: &Case<'_>, schedules: u64) -> Option<String> {
    for run in &case.runs {
        let mut first: Option<Vec<u8>> = None;
        for schedule in 0..schedules {
            let after = match emu::run(case, run, schedule) {
                Ok(after) => after,
                Err(problem) => return Some(format!("{}, schedule {schedule}: {problem}", run.name)),
            };
            let expected = first.get_or_insert_with(|| after.clone());
            let differences = compare::compare(case, &run.memory, expected, &after);
            if let Some(difference) = differences.first() {
                return Some(format!("{}, schedule {schedule}: {difference:?}", run.name));
            }
        }
    }
    None
}

fn run(cli: &Cli) -> Result<ExitCode> {
    match &cli.command {
        Command::Show(selection) => {
            let forms = selection.forms()?;
            for case in selection.cases(&forms) {
                println!("// {}\n{}", case.name(), case.module());
            }
            Ok(ExitCode::SUCCESS)
        }
        Command::Emu(options) => {
            let forms = options.selection.forms()?;
            let cases = options.selection.cases(&forms);
            let problems: Vec<_> = cases
                .par_iter()
                .progress_with(bar(cases.len()))
                .filter_map(|case| Some((case.name(), problem(case, options.schedules)?)))
                .collect();
            for (name, problem) in &problems {
                println!("{name}\n    {}", problem.replace('\n', "\n    "));
            }
            println!("{} cases, {} with problems", cases.len(), problems.len());
            Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
    }
}

fn main() -> ExitCode {
    run(&Cli::parse()).unwrap_or_else(|error| {
        eprintln!("conformance: {error:#}");
        ExitCode::from(2)
    })
}
