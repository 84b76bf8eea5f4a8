//! `cargo ptx bench`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail, ensure};
use ptx_build::Arch;
use ptx_build::ptxas::mnemonics;
use serde::{Deserialize, Serialize};

use crate::asm::sass;
use crate::build::aligned;
use crate::project::Crate;

/// The variable by which `ptx_host::bench` learns the file for its results.
const RESULTS: &str = "PTX_BENCH_RESULTS";

/// Times the kernels of `benches/`, and compares the times with earlier ones
///
/// Runs `cargo bench`, whose programs use `ptx_host::bench`, and prints a table: the time of a launch, its bytes per second beside
/// those of a device-to-device copy, registers and local memory, which the driver says, and the instructions of the machine code,
/// which need ptxas and nvdisasm.
#[derive(clap::Args)]
pub struct Options {
    /// Words: only benchmarks whose names contain one of them run
    filters: Vec<String>,
    /// Write the results to this file, as JSON
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Print the ratio to the times in this file, which `--save` has written
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
    /// Fail if the ratio of a kernel is greater
    #[arg(long, value_name = "RATIO", default_value_t = 1.05, requires = "compare", value_parser = limit)]
    limit: f64,
    /// The target whose instructions are counted
    #[arg(long, value_name = "ARCH", default_value = "sm_90a")]
    arch: Arch,
    /// The profile that the programs are built in; kernels are always optimized
    #[arg(long, value_name = "NAME", default_value = "bench")]
    profile: String,
    #[command(flatten)]
    kernels: Crate,
}

/// The result of a benchmark. `ptx_host::bench` writes all but the instructions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Row {
    name: String,
    kernel: String,
    device: String,
    seconds: f64,
    bytes: u64,
    copy_seconds: Option<f64>,
    registers: u32,
    local_bytes: u32,
    #[serde(default)]
    instructions: Option<usize>,
}

fn limit(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(limit) if f64::is_finite(limit) && limit > 0.0 => Ok(limit),
        _ => Err("the limit is a ratio of times, such as 1.05".into()),
    }
}

pub fn run(options: &Options) -> Result<ExitCode> {
    // A file that cannot be read is known before the kernels have run.
    let before = options.compare.as_deref().map(read).transpose()?;
    let mut rows = measure(options)?;
    match instructions(options) {
        Ok(counts) => {
            for row in &mut rows {
                row.instructions = counts.get(&row.kernel).copied();
            }
        }
        Err(error) => eprintln!("no instructions: {error:#}"),
    }
    crate::print(&table(&rows, before.as_deref().unwrap_or_default()))?;
    if let Some(file) = &options.save {
        let text = serde_json::to_string_pretty(&rows)? + "\n";
        fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))?;
    }
    let Some(before) = before else { return Ok(ExitCode::SUCCESS) };
    let slower = judge(&rows, &before, options.limit)?;
    if slower.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    for line in slower {
        eprintln!("error: {line}");
    }
    Ok(ExitCode::FAILURE)
}

/// Reads the file of an earlier run.
fn read(file: &Path) -> Result<Vec<Row>> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    serde_json::from_str(&text)
        .with_context(|| format!("{} is not a file that `cargo ptx bench --save` wrote", file.display()))
}

/// Runs the benchmarks of the package in this folder, and returns their results.
fn measure(Options { filters, profile, .. }: &Options) -> Result<Vec<Row>> {
    let folder = tempfile::tempdir()?;
    let results = folder.path().join("results");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["bench", "--bench", "*", "--profile", profile, "--"]).args(filters).env(RESULTS, &results);
    let status = command.status().with_context(|| "cannot run `cargo bench`")?;
    ensure!(status.success(), "`cargo bench` ended with {status}");
    let text = if results.exists() { fs::read_to_string(&results)? } else { String::new() };
    let rows = text.lines().map(serde_json::from_str).collect::<Result<Vec<_>, _>>();
    let rows = rows
        .context("`ptx-host` and `cargo-ptx` have different versions: install the one that Cargo.lock has")?;
    if rows.is_empty() {
        bail!(
            "no benchmark has run: `benches/` takes a program whose `main` is `ptx_host::bench::main`, and `Cargo.toml` a `[[bench]]` with \
             its name and `harness = false`{}",
            if filters.is_empty() { "" } else { "; or no name contains one of the words" }
        );
    }
    Ok(rows)
}

/// Returns the number of machine instructions of each kernel.
fn instructions(options: &Options) -> Result<BTreeMap<String, usize>> {
    let project = options.kernels.find()?;
    let build = options.kernels.build(&project).arch([options.arch.name()]);
    let output = build.cubin(true).try_build()?;
    let image = output.images.first().context("the build made no image")?;
    let text = sass(image, &["-c"])?;
    Ok(mnemonics(&text).into_iter().map(|(name, own)| (name.to_owned(), own.len())).collect())
}

/// Returns the earlier result of the same benchmark.
fn earlier<'a>(row: &Row, before: &'a [Row]) -> Option<&'a Row> {
    before.iter().find(|old| old.name == row.name)
}

/// Returns the table, with ratios to the earlier times.
fn table(rows: &[Row], before: &[Row]) -> String {
    let head =
        ["benchmark", "kernel", "µs", "GB/s", "of a copy", "instructions", "registers", "local", "ratio"];
    let none = || "–".to_owned();
    let line = |row: &Row| {
        let with_copy = |text: &dyn Fn(f64) -> String| row.copy_seconds.map_or_else(none, text);
        [
            row.name.clone(),
            row.kernel.clone(),
            format!("{:.2}", row.seconds * 1e6),
            with_copy(&|_| format!("{:.0}", row.bytes as f64 / row.seconds / 1e9)),
            with_copy(&|copy| format!("{:.3}", copy / row.seconds)),
            row.instructions.map_or_else(none, |count| count.to_string()),
            row.registers.to_string(),
            format!("{} B", row.local_bytes),
            earlier(row, before).map_or_else(none, |old| format!("{:.3}", row.seconds / old.seconds)),
        ]
    };
    let rows: Vec<_> = [head.map(str::to_owned)].into_iter().chain(rows.iter().map(line)).collect();
    aligned(&rows)
}

/// Returns a line for each benchmark that is slower than the limit allows.
fn judge(rows: &[Row], before: &[Row], limit: f64) -> Result<Vec<String>> {
    let mut slower = Vec::new();
    for row in rows {
        let Some(old) = earlier(row, before) else { continue };
        ensure!(
            old.device == row.device,
            "{} has run on {}, and its earlier time is of {}: compare times of one device",
            row.name,
            row.device,
            old.device
        );
        let ratio = row.seconds / old.seconds;
        // A ratio that is no number is no success.
        if ratio.is_nan() || ratio > limit {
            slower.push(format!(
                "{} takes {:.2} µs, {ratio:.3} times its earlier {:.2} µs; the limit is {limit}",
                row.name,
                row.seconds * 1e6,
                old.seconds * 1e6
            ));
        }
    }
    Ok(slower)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, seconds: f64) -> Row {
        Row {
            name: name.into(),
            kernel: "axpy".into(),
            device: "GPU".into(),
            seconds,
            bytes: 6000,
            copy_seconds: Some(1e-6),
            registers: 24,
            local_bytes: 0,
            instructions: Some(80),
        }
    }

    #[test]
    fn the_table_has_figures_and_ratios() {
        let bare = Row { copy_seconds: None, instructions: None, ..row("b", 4e-6) };
        let text = table(&[row("a", 2e-6), bare], &[row("a", 1e-6)]);
        let lines: Vec<Vec<_>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines[1], ["a", "axpy", "2.00", "3", "0.500", "80", "24", "0", "B", "2.000"]);
        assert_eq!(lines[2], ["b", "axpy", "4.00", "–", "–", "–", "24", "0", "B", "–"]);
    }

    #[test]
    fn a_slower_kernel_is_an_error_and_a_new_one_is_not() {
        let before = [row("a", 1e-6), row("b", 1e-6)];
        let now = [row("a", 1.04e-6), row("b", 1.06e-6), row("c", 9e-6)];
        let slower = judge(&now, &before, 1.05).unwrap();
        assert_eq!(slower, ["b takes 1.06 µs, 1.060 times its earlier 1.00 µs; the limit is 1.05"]);
        assert!(judge(&now, &before, 1.06001).unwrap().is_empty());
        assert_eq!(judge(&[row("a", f64::NAN)], &before, 2.0).unwrap().len(), 1);
        let other = Row { device: "another".into(), ..row("a", 1e-6) };
        assert!(judge(&now, &[other], 1.05).unwrap_err().to_string().contains("times of one device"));
    }

    #[test]
    fn a_file_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("old.json");
        let rows = vec![row("a", 1.25e-6), Row { instructions: None, ..row("b", 1e-6) }];
        fs::write(&file, serde_json::to_string_pretty(&rows).unwrap()).unwrap();
        assert_eq!(read(&file).unwrap(), rows);
        fs::write(&file, "{}").unwrap();
        assert!(format!("{:#}", read(&file).unwrap_err()).contains("cargo ptx bench --save"));
        assert!(
            limit("0").is_err() && limit("NaN").is_err() && limit("x").is_err() && limit("1.1") == Ok(1.1)
        );
    }
}
