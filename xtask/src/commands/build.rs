//! `./x build`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use xtask::cuda::{KernelReport, Tools};
use xtask::device::Arch;
use xtask::ptx::Kernel;
use xtask::{files, progress, root};

use super::{Setup, kernels};

#[derive(Args)]
pub struct Options {
    /// A target to compile for, repeatable
    #[arg(long, value_name = "ARCH", default_value = "sm_90a")]
    arch: Vec<Arch>,
    /// Only this kernel
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Optimise: always on, and here for those who are used to it
    #[arg(long)]
    release: bool,
}

pub fn run(options: &Options) -> Result<ExitCode> {
    let setup = Setup::ready()?;
    let mut verdicts = Vec::new();
    for &arch in &options.arch {
        verdicts.extend(build(&setup, arch, options.kernel.as_deref())?);
    }
    println!("{}", table(&verdicts));
    let bad: Vec<_> = verdicts.iter().filter(|verdict| !verdict.faults.is_empty()).collect();
    for verdict in &bad {
        eprintln!("{} for {}: {}", verdict.report.name, verdict.arch, verdict.faults.join("; "));
    }
    println!("PTX and cubins are in target/ptx/");
    Ok(if bad.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Where the kernels of a target are written.
fn folder(arch: Arch) -> PathBuf {
    root().join("target/ptx").join(arch.name())
}

/// A kernel's figures and what speaks against it.
struct Verdict {
    arch: Arch,
    report: KernelReport,
    faults: Vec<String>,
}

fn build(setup: &Setup, arch: Arch, only: Option<&str>) -> Result<Vec<Verdict>> {
    let kernels = kernels(&setup.toolchain, arch, only)?;
    let folder = folder(arch);
    if only.is_none() {
        remove_all_but(&kernels, &folder)?;
    }
    progress::step(&format!("assembling for {arch}"), || {
        kernels.iter().map(|kernel| assemble(&setup.tools, kernel, arch, &folder)).collect()
    })
}

fn assemble(tools: &Tools, kernel: &Kernel, arch: Arch, folder: &Path) -> Result<Verdict> {
    let ptx = folder.join(format!("{}.ptx", kernel.name));
    let cubin = ptx.with_extension("cubin");
    files::write(&ptx, &kernel.text)?;
    let assembled = tools.assemble(&ptx, arch, &cubin);
    let (report, faults) = match assembled {
        Ok(report) => {
            let report = report.kernels.into_iter().find(|report| report.name == kernel.name);
            let report = report.with_context(|| format!("ptxas says nothing of {}", kernel.name))?;
            let faults = report.faults();
            (report, faults)
        }
        Err(error) => {
            if cubin.exists() {
                fs::remove_file(&cubin).with_context(|| format!("cannot remove {}", cubin.display()))?;
            }
            (
                KernelReport { name: kernel.name.clone(), ..KernelReport::default() },
                vec![format!("{error:#}")],
            )
        }
    };
    Ok(Verdict { arch, report, faults })
}

/// Removes what earlier builds left of kernels that are no more.
fn remove_all_but(kernels: &[Kernel], folder: &Path) -> Result<()> {
    let names: BTreeSet<_> = kernels.iter().map(|kernel| kernel.name.as_str()).collect();
    if !folder.exists() {
        return Ok(());
    }
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        let kept = path.file_stem().and_then(|stem| stem.to_str()).is_some_and(|stem| names.contains(stem));
        if !kept {
            fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
        }
    }
    Ok(())
}

fn table(verdicts: &[Verdict]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(["kernel", "target", "registers", "shared", "stack", "spills", "barriers", "verdict"]);
    for Verdict { arch, report, faults } in verdicts {
        let spilled = report.spill_stores + report.spill_loads;
        table.add_row([
            report.name.clone(),
            arch.to_string(),
            report.registers.to_string(),
            format!("{} B", report.shared),
            format!("{} B", report.stack),
            format!("{spilled} B"),
            report.barriers.to_string(),
            if faults.is_empty() { "ok".into() } else { "NOT OK, see below".into() },
        ]);
    }
    for column in table.column_iter_mut().skip(2).take(5) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}
