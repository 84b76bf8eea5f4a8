//! `./x compare`.

use std::fmt::Write;
use std::process::ExitCode;
use std::thread;

use anyhow::{Result, ensure};
use clap::Args;
use similar::TextDiff;
use xtask::device::{self, Arch, Build};
use xtask::ptx::{self, Kernel};
use xtask::toolchain::Toolchain;

use super::{joined, kernels};

#[derive(Args)]
pub struct Options {
    /// The target to compile for
    #[arg(long, value_name = "ARCH", default_value = "sm_90a")]
    arch: Arch,
    /// Compare this kernel only
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
}

pub fn run(options: &Options) -> Result<ExitCode> {
    let (pinned, debian) = (Toolchain::pinned()?, Toolchain::debian()?);
    let [ours, theirs] = [&pinned, &debian].map(|toolchain| instructions(toolchain, options));
    let (ours, theirs) = (ours?, theirs?);
    if ours == theirs {
        println!("{} and {} generate the same instructions:\n{ours}", pinned.name(), debian.name());
        return Ok(ExitCode::SUCCESS);
    }
    println!("{} and {} generate different instructions:", pinned.name(), debian.name());
    let diff = TextDiff::from_lines(&ours, &theirs);
    println!("{}", diff.unified_diff().header(pinned.name(), debian.name()));
    Ok(ExitCode::FAILURE)
}

/// Lists the instructions of inline assembly that a toolchain emits, by kernel, one per line. Omits their counts: two versions of
/// LLVM unroll a loop by different factors.
fn instructions(toolchain: &Toolchain, options: &Options) -> Result<String> {
    thread::scope(|scope| {
        let sysroot = scope.spawn(|| device::sysroot(toolchain));
        device::ptx_link(toolchain)?;
        joined(sysroot)
    })?;
    let kernels = kernels(toolchain, Build::new("kernels", options.arch), options.kernel.as_deref())?;
    let any = kernels.iter().any(|kernel| !ptx::inline_instructions(&kernel.text).is_empty());
    ensure!(any, "kernels/ has no instruction of inline assembly, so there is nothing to compare");
    Ok(kernels.iter().map(listing).collect())
}

fn listing(Kernel { name, text }: &Kernel) -> String {
    let mut listing = format!("{name}:\n");
    for instruction in ptx::inline_instructions(text).keys() {
        // Writing to a `String` does not fail.
        let _ = writeln!(listing, "  {instruction}");
    }
    listing
}
