//! `./x build`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use xtask::cuda::{KernelReport, Tools};
use xtask::device::{Arch, Build};
use xtask::forms::by_two;
use xtask::ptx::Kernel;
use xtask::{files, progress, root};

use super::{Setup, kernels};

#[derive(Args)]
pub struct Options {
    /// A target to compile for, repeatable
    #[arg(long, value_name = "ARCH", default_value = "sm_90a")]
    arch: Vec<Arch>,
    /// Compile for every target
    #[arg(long, conflicts_with = "arch")]
    all_targets: bool,
    /// Compile this kernel only
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Accepted for the habit: the build always optimizes
    #[arg(long)]
    release: bool,
}

pub fn run(options: &Options) -> Result<ExitCode> {
    let setup = Setup::ready()?;
    // Targets with the same gates get the same PTX.
    let distinct: Vec<Arch> = Arch::ALL.into_iter().filter(|arch| arch.first_alike() == *arch).collect();
    let archs = if options.all_targets { &distinct } else { &options.arch };
    let mut verdicts = Vec::new();
    for built in by_two(archs, |&arch| build(&setup, arch, options.kernel.as_deref())) {
        verdicts.extend(built?);
    }
    println!("{}", table(&verdicts));
    for Verdict { arch, report, excuse, .. } in &verdicts {
        if let Some(excuse) = excuse {
            println!("{} for {arch} may have a stack frame of {} B: {excuse}", report.name, report.stack);
        }
    }
    let bad: Vec<_> = verdicts.iter().filter(|verdict| !verdict.faults.is_empty()).collect();
    for verdict in &bad {
        eprintln!("{} for {}: {}", verdict.report.name, verdict.arch, verdict.faults.join("; "));
    }
    println!("PTX and cubins are in target/ptx/");
    Ok(if bad.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns the folder with the kernels of a target.
fn folder(arch: Arch) -> PathBuf {
    root().join("target/ptx").join(arch.name())
}

/// A kernel's figures and faults.
struct Verdict {
    arch: Arch,
    report: KernelReport,
    faults: Vec<String>,
    /// The reason why the kernel may have its stack frame.
    excuse: Option<&'static str>,
}

/// A stack frame that a kernel has on a target, and that this repository cannot avoid.
struct Frame {
    kernel: &'static str,
    archs: &'static [Arch],
    bytes: u32,
    reason: &'static str,
}

const FRAMES: [Frame; 1] = [Frame {
    kernel: "tensor_multicast",
    archs: &[Arch::Sm120f, Arch::Sm120a],
    bytes: 8,
    reason: "it is not one of the targets that `.multicast::cluster` is made for (9.7.9.25.5.2), and ptxas calls the driver's \
             `__cuda_syscall_cp_async_bulk_tensor_2d_tile_multicast`, with its last argument on the stack",
}];

impl Verdict {
    fn of(arch: Arch, report: KernelReport, frames: &[Frame]) -> Verdict {
        let listed = frames.iter().find(|frame| frame.kernel == report.name && frame.archs.contains(&arch));
        let Some(frame) = listed else {
            let faults = report.faults();
            return Verdict { arch, report, faults, excuse: None };
        };
        let mut faults = KernelReport { stack: 0, ..report.clone() }.faults();
        let excuse = (frame.bytes == report.stack).then_some(frame.reason);
        if excuse.is_none() {
            faults.push(format!("stack frame ({} B), but `FRAMES` lists {} B", report.stack, frame.bytes));
        }
        Verdict { arch, report, faults, excuse }
    }
}

fn build(setup: &Setup, arch: Arch, only: Option<&str>) -> Result<Vec<Verdict>> {
    let kernels = kernels(&setup.toolchain, Build::new("kernels", arch), only)?;
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
    match assembled {
        Ok(report) => {
            let report = report.kernels.into_iter().find(|report| report.name == kernel.name);
            let report = report.with_context(|| format!("ptxas does not report {}", kernel.name))?;
            Ok(Verdict::of(arch, report, &FRAMES))
        }
        Err(error) => {
            if cubin.exists() {
                fs::remove_file(&cubin).with_context(|| format!("cannot remove {}", cubin.display()))?;
            }
            let report = KernelReport { name: kernel.name.clone(), ..KernelReport::default() };
            Ok(Verdict { arch, report, faults: vec![format!("{error:#}")], excuse: None })
        }
    }
}

/// Removes the files of kernels that no longer exist.
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
    for Verdict { arch, report, faults, excuse } in verdicts {
        let spilled = report.spill_stores + report.spill_loads;
        table.add_row([
            report.name.clone(),
            arch.to_string(),
            report.registers.to_string(),
            format!("{} B", report.shared),
            format!("{} B", report.stack),
            format!("{spilled} B"),
            report.barriers.to_string(),
            match (&faults[..], excuse) {
                ([], None) => "ok".into(),
                ([], Some(_)) => "ok, see below".into(),
                _ => "NOT OK, see below".into(),
            },
        ]);
    }
    for column in table.column_iter_mut().skip(2).take(5) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_frame_is_a_fault_unless_it_is_listed_as_it_is() {
        let frames = [Frame { kernel: "k", archs: &[Arch::Sm120f], bytes: 8, reason: "why" }];
        let of = |name: &str, arch, stack, spill_loads| {
            let report = KernelReport { name: name.into(), stack, spill_loads, ..KernelReport::default() };
            let Verdict { faults, excuse, .. } = Verdict::of(arch, report, &frames);
            (faults, excuse)
        };
        assert_eq!(of("k", Arch::Sm120f, 8, 0), (vec![], Some("why")));
        assert_eq!(of("k", Arch::Sm90a, 8, 0).0, ["stack frame (8 B)"]);
        assert_eq!(of("other", Arch::Sm120f, 8, 0).0, ["stack frame (8 B)"]);
        assert_eq!(of("k", Arch::Sm120f, 16, 0).0, ["stack frame (16 B), but `FRAMES` lists 8 B"]);
        assert_eq!(of("k", Arch::Sm120f, 0, 0).0, ["stack frame (0 B), but `FRAMES` lists 8 B"]);
        assert_eq!(of("k", Arch::Sm120f, 8, 4).0, ["spills (0 B stored, 4 B loaded)"]);
    }
}
