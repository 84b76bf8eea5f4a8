//! `cargo ptx build`.

use std::process::ExitCode;

use anyhow::Result;
use ptx_build::ptxas::{KernelReport, Ptxas};
use ptx_build::{Arch, Output};

use crate::project::Crate;

/// Builds the kernels, and prints the registers, shared memory, stack and spills of each
///
/// Run this command in the folder of the kernels' crate, or in a workspace with one such crate. PTX and cubin are written below
/// `ptx` in the target folder. The figures need ptxas of CUDA 13.0 or newer (CUDA_HOME, CUDA_PATH, /usr/local/cuda, PATH); without
/// ptxas, only the PTX is made.
#[derive(clap::Args)]
pub struct Options {
    /// A target to compile for, repeatable
    #[arg(long, value_name = "ARCH", default_value = "sm_90a")]
    arch: Vec<Arch>,
    /// Accepted for the habit: kernels are always optimized
    #[arg(long, short)]
    release: bool,
    /// Adds the lines of the source to the PTX, for ptx-emu and for profilers
    #[arg(long)]
    line_tables: bool,
    #[command(flatten)]
    kernels: Crate,
}

pub fn run(options: &Options) -> Result<ExitCode> {
    let project = options.kernels.find()?;
    let build = options.kernels.build(&project).arch(options.arch.iter().map(|arch| arch.name()));
    let output = build.cubin(true).line_tables(options.line_tables).try_build()?;
    for warning in &output.warnings {
        eprintln!("warning: {warning}");
    }
    if Ptxas::find()?.is_none() {
        eprintln!("no ptxas, so no figures: `cargo ptx doctor` says what to install");
    }
    let paths = output.images.iter().map(|image| format!("{}\n", image.ptx.display()));
    crate::print(&(table(&output) + &paths.collect::<String>()))?;
    Ok(ExitCode::SUCCESS)
}

/// Returns a table of ptxas's figures; empty without ptxas.
fn table(output: &Output) -> String {
    let reports = output.images.iter().filter_map(|image| Some((image.arch, image.report.as_ref()?)));
    let rows: Vec<_> = reports
        .flat_map(|(arch, report)| report.kernels.iter().map(move |kernel| row(arch, kernel)))
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    let head = ["kernel", "target", "registers", "shared", "local", "spills", "barriers"].map(str::to_owned);
    aligned(&[vec![head], rows].concat())
}

/// Returns the figures of a kernel: spills are stored and loaded bytes, and local memory is the stack.
fn row(arch: Arch, kernel: &KernelReport) -> [String; 7] {
    [
        kernel.name.clone(),
        arch.to_string(),
        kernel.registers.to_string(),
        format!("{} B", kernel.shared),
        format!("{} B", kernel.stack),
        format!("{} B", kernel.spill_stores + kernel.spill_loads),
        kernel.barriers.to_string(),
    ]
}

/// Joins rows into lines: the first two columns begin at the left, figures end at the right.
pub fn aligned<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let cell = |(column, text): (usize, &String)| match column {
        0 | 1 => format!("{text:width$}", width = width(column)),
        _ => format!("{text:>width$}", width = width(column)),
    };
    let line = |row: &[String; N]| row.iter().enumerate().map(cell).collect::<Vec<_>>().join("  ") + "\n";
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let kernel =
            KernelReport { name: "axpy".into(), registers: 24, spill_loads: 4, ..KernelReport::default() };
        let rows = [
            ["kernel", "target", "registers", "a", "b", "spills", "e"].map(str::to_owned),
            row(Arch::Sm90, &kernel),
        ];
        assert_eq!(
            aligned(&rows),
            "kernel  target  registers    a    b  spills  e\naxpy    sm_90          24  0 B  0 B     4 B  0\n"
        );
    }
}
