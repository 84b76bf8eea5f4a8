//! `./x clippy`.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use xtask::device::{Arch, Build};
use xtask::progress;

use super::{Setup, gpu};

#[derive(Args)]
pub struct Options {
    /// A target to compile for, repeatable
    #[arg(long, value_name = "ARCH", default_values = ["sm_90a", "sm_100a"])]
    arch: Vec<Arch>,
}

pub fn run(options: &Options) -> Result<ExitCode> {
    let setup = Setup::ready()?;
    let extra = gpu::EXTRA.iter().map(|extra| extra.folder);
    for folder in std::iter::once("kernels").chain(extra) {
        for &arch in &options.arch {
            let toolchain = Some(setup.toolchain.clone());
            let build = Build { toolchain, ..Build::new(folder, arch) };
            progress::step(&format!("clippy on {folder} for {arch}"), || build.clippy())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
