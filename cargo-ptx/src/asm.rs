//! `cargo ptx asm`.

use std::fs;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};
use ptx_build::ptxas::{KernelReport, Ptxas};
use ptx_build::{Arch, Image, process};

use crate::listing;
use crate::project::Crate;

/// Prints the PTX or the machine code of a kernel, beside the lines of its source, and its figures
///
/// An instruction of a library stands under the line of your crate that calls it. The figures and `--sass` need CUDA 13.0 or
/// newer.
#[derive(clap::Args)]
pub struct Options {
    /// The kernel's name
    kernel: String,
    /// Print the machine code (SASS) instead of PTX
    #[arg(long)]
    sass: bool,
    /// The target to compile for
    #[arg(long, value_name = "ARCH", default_value = "sm_90a")]
    arch: Arch,
    #[command(flatten)]
    kernels: Crate,
}

pub fn run(options: &Options) -> Result<ExitCode> {
    let project = options.kernels.find()?;
    let build = options.kernels.build(&project).arch([options.arch.name()]);
    let output = build.name("lines").line_tables(true).cubin(true).try_build()?;
    let image = output.images.first().context("the build made no image")?;
    let ptx =
        fs::read_to_string(&image.ptx).with_context(|| format!("cannot read {}", image.ptx.display()))?;
    let code = match options.sass {
        true => listing::of_sass(&sass(image, &["-c", "-gi"])?, &options.kernel, &project.folder),
        false => listing::of_ptx(&ptx, &options.kernel, &project.folder),
    };
    let Some(code) = code else {
        bail!("there is no kernel `{}`; the kernels are {}", options.kernel, kernels(&ptx).join(", "));
    };
    let mut text = listing::shown(&code, &project.folder);
    let reports = image.report.iter().flat_map(|report| &report.kernels);
    match reports.into_iter().find(|report| report.name == options.kernel) {
        Some(report) => text += &format!("\n{}\n", figures(report, options.arch)),
        None => eprintln!("no ptxas, so no figures: `cargo ptx doctor` says what to install"),
    }
    crate::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Disassembles the image's cubin.
pub fn sass(image: &Image, options: &[&str]) -> Result<String> {
    let ptxas = Ptxas::find()?.context("there is no ptxas: `cargo ptx doctor` says what to install")?;
    let cubin = image.cubin.as_ref().context("the build made no cubin")?;
    let nvdisasm = ptxas.program("nvdisasm");
    if !nvdisasm.exists() {
        bail!("{} is missing: install it, or `pip install nvidia-cuda-nvdisasm`", nvdisasm.display());
    }
    let output = process::run(Command::new(nvdisasm).args(options).arg(cubin))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Returns the names of the kernels in a module.
fn kernels(ptx: &str) -> Vec<&str> {
    ptx.lines().filter_map(|line| line.split_once(".entry ")?.1.split('(').next()).collect()
}

fn figures(report: &KernelReport, arch: Arch) -> String {
    let KernelReport { name, registers, shared, stack, spill_stores, spill_loads, barriers } = report;
    format!(
        "{name} for {arch}: {registers} registers, {shared} B shared memory, {stack} B local memory, spills of {spill_stores} B \
         stored and {spill_loads} B loaded, {barriers} barriers"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_named() {
        assert_eq!(kernels(".visible .entry a(\n)\n{ret;}\n.visible .entry b()\n// .entries\n"), ["a", "b"]);
    }

    #[test]
    fn every_figure_is_shown() {
        let report =
            KernelReport { name: "k".into(), registers: 24, spill_loads: 4, ..KernelReport::default() };
        assert_eq!(
            figures(&report, Arch::Sm90a),
            "k for sm_90a: 24 registers, 0 B shared memory, 0 B local memory, spills of 0 B stored and 4 B loaded, 0 barriers"
        );
    }
}
