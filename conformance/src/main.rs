//! `conformance`: see `conformance --help`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use clap::{Args, Parser, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use ptx_conformance::case::Case;
use ptx_conformance::form::Form;
use ptx_conformance::fuzz;
use ptx_conformance::fuzz::forms::{TARGETS, VERSIONS};
use ptx_conformance::fuzz::generate::Table;
use ptx_conformance::fuzz::kernel::Kernel;
use ptx_conformance::fuzz::report::Coverage;
use ptx_conformance::gpu::{self, Ended};
use ptx_conformance::report::{Entry, Outcome, Report};
use ptx_conformance::suite::{self, Place};
use ptx_conformance::{compare, departures, emu, families, form};
use rayon::prelude::*;

/// Runs every form of `ptx::raw` in the interpreter and on a GPU, and compares the results.
///
/// Exit status: 0: all is equal or a known departure, 1: something differs, 2: bad arguments or files, or no GPU.
#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs cases in the interpreter, under several schedules: all give the same, and none has a finding
    Emu(Emu),
    /// Runs cases on a GPU, and compares its memory with that of the interpreter
    Gpu(Gpu),
    /// Writes the modules of the cases that a GPU runs, as PTX
    Modules {
        /// The folder
        dir: PathBuf,
        #[command(flatten)]
        forms: Forms,
    },
    /// Prints the kernels of cases
    Show(Selection),
    /// Makes random kernels of plain instructions, and compares the interpreter with a GPU
    #[command(subcommand)]
    Fuzz(Fuzz),
}

#[derive(Subcommand)]
enum Fuzz {
    /// Runs kernels in the interpreter, under several schedules: all give the same, and none has a finding
    Emu {
        #[command(flatten)]
        kernels: Kernels,
        /// Schedules of each kernel
        #[arg(long, default_value_t = 3)]
        schedules: u64,
    },
    /// Runs kernels on a GPU, compares the results with those of the interpreter, and shrinks what differs
    Gpu {
        #[command(flatten)]
        kernels: Kernels,
        /// The folder of the cubins [default: `fuzz` beside this program, or else the driver compiles the kernels]
        #[arg(long)]
        modules: Option<PathBuf>,
        /// Ordinal of the device
        #[arg(long, default_value_t = 0)]
        device: usize,
        /// Seconds after which a launch counts as hung
        #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=600))]
        timeout: u64,
        /// Processes [default: one for each core, at most 16]
        #[arg(long)]
        jobs: Option<usize>,
        /// Write the report to this file, as text
        #[arg(long, default_value = "fuzz.txt")]
        text: PathBuf,
        /// Write all results to this file, as JSON
        #[arg(long, default_value = "fuzz.json")]
        json: PathBuf,
        /// Run the chunks of kernels that the standard input names
        #[arg(long, hide = true)]
        child: bool,
    },
    /// Writes the modules of kernels, as PTX
    Modules {
        /// The folder
        dir: PathBuf,
        #[command(flatten)]
        kernels: Kernels,
    },
    /// Prints how often kernels have each instruction, modifier and type, and what the interpreter refuses
    Forms(Kernels),
    /// Prints kernels
    Show(Kernels),
}

/// Random kernels.
#[derive(Args, Clone)]
struct Kernels {
    /// The seed: kernels of one seed are the same in each run of one version
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The number of the first kernel
    #[arg(long, default_value_t = 0)]
    first: usize,
    /// The number of kernels
    #[arg(long, default_value_t = 1000)]
    count: usize,
    /// The PTX version: the driver 580 compiles 9.0
    #[arg(long, default_value = VERSIONS[1], value_parser = VERSIONS)]
    ptx: String,
    /// The target: another than the first has no `wgmma`, and PTX 9.5
    #[arg(long, default_value = TARGETS[0], value_parser = TARGETS)]
    target: String,
}

impl Kernels {
    /// Returns the PTX version, which is the newest for a target behind the first.
    fn ptx(&self) -> &str {
        if self.target == TARGETS[0] { &self.ptx } else { VERSIONS[1] }
    }

    fn target(&self) -> &'static str {
        TARGETS.into_iter().find(|target| *target == self.target).unwrap_or(TARGETS[0])
    }

    /// Returns the table of the kernels, and the refusals of the forms that the interpreter lacks.
    fn table(&self) -> (Table, Vec<(usize, String)>) {
        fuzz::run::table(self.ptx(), self.target())
    }
}

#[derive(Args)]
struct Forms {
    /// The folder of the forms [default: `forms` beside this program, or that of the repository]
    #[arg(long)]
    forms: Option<PathBuf>,
}

impl Forms {
    fn folder(&self) -> PathBuf {
        let beside = beside_program("forms").filter(|folder| folder.exists());
        let given = self.forms.clone().or(beside);
        given.unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/golden/raw").into())
    }

    fn read(&self) -> Result<Vec<Form>> {
        form::read(&self.folder())
    }
}

fn beside_program(name: &str) -> Option<PathBuf> {
    Some(std::env::current_exe().ok()?.parent()?.join(name))
}

#[derive(Args)]
struct Selection {
    #[command(flatten)]
    forms: Forms,
    /// Only the cases whose name (`family/row: instruction`) contains one of these
    filter: Vec<String>,
}

impl Selection {
    fn cases<'f>(&self, forms: &'f [Form]) -> Vec<Case<'f>> {
        let cases = forms.iter().flat_map(families::cases);
        cases.filter(|case| gpu::is_wanted(case, &self.filter)).collect()
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

#[derive(Args)]
struct Gpu {
    #[command(flatten)]
    selection: Selection,
    /// The folder of the cubins [default: `modules` beside this program]
    #[arg(long)]
    modules: Option<PathBuf>,
    /// Ordinal of the device
    #[arg(long, default_value_t = 0)]
    device: usize,
    /// Seconds after which a launch counts as hung
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=600))]
    timeout: u64,
    /// Write the report to this file, as text
    #[arg(long, default_value = "conformance.txt")]
    text: PathBuf,
    /// Write all results to this file, as JSON
    #[arg(long, default_value = "conformance.json")]
    json: PathBuf,
    /// Run cases in this process, beginning at a place
    #[arg(long, hide = true)]
    child: Option<Place>,
}

fn bar(count: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed}")
        .unwrap_or(ProgressStyle::default_bar());
    ProgressBar::new(count as u64).with_style(style)
}

/// Returns the first problem of a case in the interpreter, if there is one.
fn problem(case: &Case<'_>, schedules: u64) -> Option<String> {
    for run in &case.runs {
        let mut first: Option<Vec<u8>> = None;
        for schedule in 0..schedules {
            let after = match emu::run(case, run, schedule) {
                Ok(_) if run.fault.is_some() => {
                    return Some(format!(
                        "{}, schedule {schedule}: no finding, but a GPU ends the grid",
                        run.name
                    ));
                }
                Ok(after) => after,
                Err(_) if run.fault.is_some() => continue,
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

fn run_emu(options: &Emu) -> Result<ExitCode> {
    let forms = options.selection.forms.read()?;
    let cases = options.selection.cases(&forms);
    let start = Instant::now();
    let progress = bar(cases.len());
    let problems: Vec<_> = cases
        .par_iter()
        .inspect(|_| progress.inc(1))
        .filter_map(|case| Some((case.name(), problem(case, options.schedules)?)))
        .collect();
    progress.finish();
    for (name, problem) in &problems {
        println!("{name}\n    {}", problem.replace('\n', "\n    "));
    }
    println!("{:34}{:>8}{:>8}{:>8}", "family", "forms", "cases", "runs");
    let mut families: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    let mut last = None;
    for case in &cases {
        let counts = families.entry(&case.form.family).or_default();
        counts[0] += usize::from(last != Some(case.form));
        counts[1] += 1;
        counts[2] += case.runs.len();
        last = Some(case.form);
    }
    let mut all = [0; 3];
    for (family, counts) in families {
        println!("{family:34}{:>8}{:>8}{:>8}", counts[0], counts[1], counts[2]);
        all.iter_mut().zip(counts).for_each(|(all, count)| *all += count);
    }
    println!("{:34}{:>8}{:>8}{:>8}", "all", all[0], all[1], all[2]);
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{} cases, {} with problems, under {} schedules in {seconds:.0} s",
        cases.len(),
        problems.len(),
        options.schedules
    );
    Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn run_gpu(options: &Gpu) -> Result<ExitCode> {
    let child = gpu::Options {
        forms: options.selection.forms.folder(),
        modules: options
            .modules
            .clone()
            .or_else(|| beside_program("modules"))
            .context("no folder of modules")?,
        device: options.device,
        timeout: Duration::from_secs(options.timeout),
        filter: options.selection.filter.clone(),
    };
    if let Some(start) = options.child {
        gpu::child(&child, start);
    }
    let start = Instant::now();
    let device = ptx_host::open(options.device)?.name()?;
    let forms = options.selection.forms.read()?;
    let cases: BTreeMap<Place, Case<'_>> =
        suite::from(&forms, Place::FIRST).filter(|(_, case)| gpu::is_wanted(case, &child.filter)).collect();
    let all: Vec<(Place, &Case<'_>)> = cases
        .iter()
        .flat_map(|(place, case)| (0..case.runs.len()).map(move |run| (Place { run, ..*place }, case)))
        .collect();
    eprintln!("the interpreter runs {} cases", cases.len());
    let progress = bar(all.len());
    let expected: BTreeMap<Place, Result<Vec<u8>, String>> = all
        .par_iter()
        .inspect(|_| progress.inc(1))
        .map(|(place, case)| (*place, emu::run(case, &case.runs[place.run], 0)))
        .collect();
    progress.finish();
    eprintln!("the {device} runs them");
    let progress = bar(all.len());
    let mut entries = BTreeMap::new();
    gpu::run_all(&child, &cases, |place, ended| {
        progress.inc(1);
        let case = &cases[&Place { run: 0, ..place }];
        let entry = entry(case, place.run, &expected[&place], ended);
        if matches!(entry.outcome, Outcome::Fault { .. } | Outcome::Timeout) {
            progress.suspend(|| eprint!("{}", entry.text()));
        }
        entries.insert(place, entry);
    })?;
    progress.finish_and_clear();
    let report =
        Report { device, seconds: start.elapsed().as_secs_f64(), entries: entries.into_values().collect() };
    let text = report.text();
    write(&options.text, &text)?;
    write(&options.json, &serde_json::to_string_pretty(&report)?)?;
    let end = text.find("\nNot equal").unwrap_or(text.len());
    println!("{}", &text[..end]);
    let unexplained = report.unexplained().count();
    println!("{unexplained} runs are not equal and not explained: see {}", options.text.display());
    Ok(if unexplained == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn entry(case: &Case<'_>, run: usize, expected: &Result<Vec<u8>, String>, ended: Ended) -> Entry {
    let run = &case.runs[run];
    let outcome = match (expected, ended) {
        (_, Ended::NotRun(why)) => Outcome::NotRun { why: why.into() },
        (Err(_), Ended::Fault(what)) if run.fault.is_some() => Outcome::Fault { what },
        (Err(what), _) => Outcome::Interpreter { what: what.clone() },
        (_, Ended::Fault(what)) => Outcome::Fault { what },
        (_, Ended::Refused(what)) => Outcome::Refused { what },
        (_, Ended::Timeout) => Outcome::Timeout,
        (Ok(expected), Ended::Memory(found)) => match compare::compare(case, &run.memory, expected, &found) {
            differences if differences.is_empty() => Outcome::Equal,
            differences => Outcome::Different { differences },
        },
    };
    Entry {
        family: case.form.family.clone(),
        row: case.form.row.clone(),
        case: case.name(),
        run: run.name.clone(),
        departure: departures::departure(case, run)
            .filter(|_| match &outcome {
                Outcome::Fault { .. } => true,
                Outcome::NotRun { .. } => false,
                _ => run.fault.is_none(),
            })
            .map(Into::into),
        outcome,
    }
}

/// Returns the first problem of a random kernel in the interpreter, if there is one.
fn problem_of(kernel: &Kernel, schedules: u64) -> Option<String> {
    let mut first: Option<Vec<u8>> = None;
    for schedule in 0..schedules {
        match fuzz::run::run(kernel, schedule) {
            Err(problem) => return Some(format!("schedule {schedule}: {problem}")),
            Ok(after) if *first.get_or_insert_with(|| after.clone()) != after => {
                return Some(format!("schedule {schedule}: other results than under schedule 0"));
            }
            Ok(_) => {}
        }
    }
    None
}

fn fuzz_emu(kernels: &Kernels, schedules: u64) -> ExitCode {
    let (table, refused) = kernels.table();
    let start = Instant::now();
    let progress = bar(kernels.count);
    let numbers = kernels.first..kernels.first + kernels.count;
    let problems: Vec<(usize, String)> = numbers
        .into_par_iter()
        .inspect(|_| progress.inc(1))
        .filter_map(|number| {
            let kernel = fuzz::generate::kernel(&table, kernels.seed, number);
            Some((number, problem_of(&kernel, schedules)?))
        })
        .collect();
    progress.finish();
    for (number, problem) in &problems {
        println!("kernel {number} of seed {}: {}", kernels.seed, problem.replace('\n', "\n    "));
    }
    println!(
        "{} kernels, {} with problems, under {schedules} schedules in {:.0} s; {} of {} forms are refused",
        kernels.count,
        problems.len(),
        start.elapsed().as_secs_f64(),
        refused.len(),
        table.forms.len()
    );
    if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn fuzz_forms(kernels: &Kernels) -> ExitCode {
    let (table, refused) = kernels.table();
    let mut coverage = Coverage::new(&table);
    for number in kernels.first..kernels.first + kernels.count {
        coverage.add(&fuzz::generate::kernel(&table, kernels.seed, number));
    }
    println!("{}", coverage.text(&table));
    println!("{} forms that the interpreter refuses", refused.len());
    for (form, why) in refused {
        println!("{}: {why}", table.forms[form]);
    }
    let missing = coverage.missing(&table);
    println!("{} forms that no kernel has: {}", missing.len(), missing.join(", "));
    if missing.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn run_fuzz(command: &Fuzz) -> Result<ExitCode> {
    match command {
        Fuzz::Emu { kernels, schedules } => Ok(fuzz_emu(kernels, *schedules)),
        Fuzz::Forms(kernels) => Ok(fuzz_forms(kernels)),
        Fuzz::Show(kernels) => {
            let (table, _) = kernels.table();
            let numbers = kernels.first..kernels.first + kernels.count;
            let all = numbers.map(|number| (number, fuzz::generate::kernel(&table, kernels.seed, number)));
            println!("{}", fuzz::gpu::module_text(kernels.ptx(), &all.collect::<Vec<_>>()));
            Ok(ExitCode::SUCCESS)
        }
        Fuzz::Modules { dir, kernels } => {
            let (table, _) = kernels.table();
            for (first, count) in fuzz::gpu::chunks(kernels.first, kernels.count) {
                let numbers = first..first + count;
                let all: Vec<_> = numbers
                    .map(|number| (number, fuzz::generate::kernel(&table, kernels.seed, number)))
                    .collect();
                let name = fuzz::gpu::module_name(kernels.seed, first);
                write(&dir.join(name).with_extension("ptx"), &fuzz::gpu::module_text(kernels.ptx(), &all))?;
            }
            Ok(ExitCode::SUCCESS)
        }
        Fuzz::Gpu { kernels, modules, device, timeout, jobs, text, json, child } => {
            let cores = std::thread::available_parallelism().map_or(1, Into::into);
            let options = fuzz::gpu::Options {
                seed: kernels.seed,
                version: kernels.ptx().into(),
                target: kernels.target(),
                first: kernels.first,
                count: kernels.count,
                device: *device,
                timeout: Duration::from_secs(*timeout),
                modules: modules.clone().or_else(|| beside_program("fuzz").filter(|folder| folder.exists())),
                jobs: jobs.unwrap_or(cores).min(16),
            };
            if *child {
                fuzz::gpu::child(&options);
            }
            fuzz_gpu(&options, text, json)
        }
    }
}

fn fuzz_gpu(options: &fuzz::gpu::Options, text: &Path, json: &Path) -> Result<ExitCode> {
    let start = Instant::now();
    let device = ptx_host::open(options.device)?.name()?;
    let mut arguments: Vec<String> = ["fuzz", "gpu", "--child", "--seed"].map(Into::into).into();
    arguments.push(options.seed.to_string());
    arguments.extend(["--device".into(), options.device.to_string()]);
    arguments.extend(["--timeout".into(), options.timeout.as_secs().to_string()]);
    if let Some(folder) = &options.modules {
        arguments.extend(["--modules".into(), folder.display().to_string()]);
    }
    arguments.extend(["--ptx".into(), options.version.clone()]);
    arguments.extend(["--target".into(), options.target.into()]);
    let progress = bar(options.count);
    let mut outcomes = BTreeMap::new();
    fuzz::gpu::run_all(options, &arguments, |number, outcome| {
        progress.inc(1);
        outcomes.insert(number, outcome);
    })?;
    progress.finish();
    let (table, refused) = fuzz::run::table(&options.version, options.target);
    let mut coverage = Coverage::new(&table);
    for number in outcomes.keys() {
        coverage.add(&fuzz::generate::kernel(&table, options.seed, *number));
    }
    let outcome = fuzz::report::text(&device, options.seed, &outcomes);
    write(text, &format!("{outcome}\n{}", coverage.text(&table)))?;
    write(json, &serde_json::to_string(&outcomes)?)?;
    let end = outcome.find("\nDifferences").unwrap_or(outcome.len());
    println!("{}", &outcome[..end]);
    let missing = coverage.missing(&table);
    println!(
        "{} forms, of which the interpreter refuses {} and no kernel has {}; {:.0} s; see {}",
        table.forms.len(),
        refused.len(),
        missing.len(),
        start.elapsed().as_secs_f64(),
        text.display()
    );
    let all_equal = outcomes.values().all(|outcome| *outcome == fuzz::gpu::Outcome::Equal);
    Ok(if all_equal { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn run(cli: &Cli) -> Result<ExitCode> {
    match &cli.command {
        Command::Emu(options) => run_emu(options),
        Command::Gpu(options) => run_gpu(options),
        Command::Modules { dir, forms } => {
            for (name, text) in suite::modules(&forms.read()?) {
                write(&dir.join(name).with_extension("ptx"), &text)?;
            }
            Ok(ExitCode::SUCCESS)
        }
        Command::Fuzz(command) => run_fuzz(command),
        Command::Show(selection) => {
            let forms = selection.forms.read()?;
            for case in selection.cases(&forms) {
                println!("// {}\n{}", case.name(), case.module());
            }
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn main() -> ExitCode {
    run(&Cli::parse()).unwrap_or_else(|error| {
        eprintln!("conformance: {error:#}");
        ExitCode::from(2)
    })
}
