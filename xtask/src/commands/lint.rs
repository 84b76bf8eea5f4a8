//! `./x clippy`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use xtask::device::{Arch, Build};
use xtask::{progress, root};

use super::Setup;

#[derive(Args)]
pub struct Options {
    /// A target to compile for, repeatable
    #[arg(long, value_name = "ARCH", default_values = ["sm_90a", "sm_100a", "sm_120a"])]
    arch: Vec<Arch>,
}

pub fn run(options: &Options) -> Result<ExitCode> {
    let setup = Setup::ready()?;
    let mut code = ExitCode::SUCCESS;
    for folder in device_crates()? {
        for &arch in &options.arch {
            let toolchain = Some(setup.toolchain.clone());
            let build = Build { toolchain, ..Build::new(&folder, arch) };
            let what = format!("clippy on {} for {arch}", folder.display());
            match progress::step(&what, || build.clippy()) {
                Ok(()) => println!("{what}: ok"),
                Err(error) => {
                    eprintln!("{error:#}");
                    code = ExitCode::FAILURE;
                }
            }
        }
    }
    Ok(code)
}

/// Returns the folders of `ptx`, the kernels and the device crates of the tests, relative to the repository root.
fn device_crates() -> Result<Vec<PathBuf>> {
    let tests = root().join("tests/device");
    let mut crates = vec![PathBuf::from("."), PathBuf::from("kernels")];
    for entry in fs::read_dir(&tests).with_context(|| format!("cannot read {}", tests.display()))? {
        let folder = Path::new("tests/device").join(entry?.file_name());
        if root().join(&folder).join("Cargo.toml").exists() {
            crates.push(folder);
        }
    }
    crates.sort();
    Ok(crates)
}
