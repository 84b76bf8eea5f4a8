//! `./x bench`.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use comfy_table::presets;
use xtask::bench;
use xtask::device::Build;
use xtask::toolchain::Kind;
use xtask::{files, root};

use super::bundle::{self, Content, For};
use super::run::has_gpu;
use super::{Setup, module};

#[derive(Args)]
pub struct Options {
    /// Compare the machine code only, even if the machine has a GPU
    #[arg(long)]
    sass: bool,
    /// Further arguments of `ptx-gpu bench`
    #[arg(last = true, value_name = "PTX-GPU ARGUMENTS")]
    arguments: Vec<String>,
}

pub fn run(options: &Options) -> Result<ExitCode> {
    let setup = Setup::ready()?;
    let rust = module(&setup.toolchain, Build::new("kernels", bench::ARCH))?;
    let rust = bench::figures(&setup.tools, &rust.text)?;
    let twins = bench::figures(&setup.tools, &bench::twins()?)?;
    let pairs = bench::pairs(&rust, &twins);
    println!("{}", bench::table(&pairs, presets::NOTHING));
    if setup.toolchain.kind() == Kind::Rustup {
        files::write(&bench::readme_path(), bench::with_table(&bench::read_readme()?, &pairs)?)?;
    }
    if options.sass || !has_gpu() {
        return Ok(ExitCode::SUCCESS);
    }
    let folder = root().join("target/run/gpu");
    bundle::make(&setup, &folder, For::Gpu, &Content::default(), true)?;
    let mut program = bundle::program(&folder);
    program.arg("bench").args(&options.arguments);
    bundle::finish(program)
}
