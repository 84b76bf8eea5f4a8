//! `./x newest`.

use std::process::{Command, ExitCode};

use anyhow::{Context, Result};
use clap::Args;
use ptx_build::process::run as run_command;
use ptx_build::toolchain::without_callers_settings;
use xtask::{progress, root};

use super::Setup;

/// The crates of kernels that the newest compiler builds. The linker refuses a canary that a new pass of LLVM moves.
const CRATES: [&str; 4] = ["kernels", "examples/kernels", "tests/device/launch", "tests/device/canaries"];

#[derive(Args)]
pub struct Options {
    /// The toolchain to install and try, a name of rustup's
    #[arg(default_value = "nightly")]
    toolchain: String,
}

/// Installs the newest nightly that rustup has, and reports what of `ptx` that nightly does not compile.
pub fn run(options: &Options) -> Result<ExitCode> {
    let setup = Setup::ready()?;
    let name = options.toolchain.as_str();
    progress::step(&format!("installing {name}"), || {
        let mut install = Command::new("rustup");
        install.args(["toolchain", "install", name, "--profile=minimal", "--no-self-update"]);
        run_command(install.args(["--component=rust-src", "--component=llvm-tools"]))
            .with_context(|| format!("rustup cannot install {name} with rust-src and llvm-tools"))
    })?;
    let version = run_command(Command::new("rustup").args(["run", name, "rustc", "--version"]))?;
    println!("{}", String::from_utf8_lossy(&version.stdout).trim());

    let target = root().join("target/newest");
    let mut programs = setup.toolchain.cargo();
    programs.args(["build", "--quiet", "--package=cargo-ptx", "--bins"]).current_dir(root());
    run_command(&mut programs)?;
    let programs = setup.toolchain.target_dir().join("debug");

    let mut library = Command::new("rustup");
    library.args(["run", name, "cargo", "check", "--package=ptx", "--features=sm_100a"]);
    library.arg("--target-dir").arg(target.join("host")).current_dir(root());
    let mut checks = vec![("ptx for the host".to_owned(), library)];
    for folder in CRATES {
        let mut build = Command::new(programs.join("cargo-ptx"));
        build.args(["ptx", "build", "--release", "--out-dir"]).arg(target.join(folder));
        build.env("PTX_TOOLCHAIN", name).env("PTX_LINK", programs.join("ptx-link"));
        build.env("PTX_TARGET_DIR", target.join("device")).current_dir(root().join(folder));
        checks.push((folder.to_owned(), build));
    }
    let mut code = ExitCode::SUCCESS;
    for (what, mut command) in checks {
        match progress::step(&what, || run_command(without_callers_settings(&mut command))) {
            Ok(_) => println!("{what}: ok"),
            Err(error) => {
                println!("{what}: FAILED\n{error:#}");
                code = ExitCode::FAILURE;
            }
        }
    }
    Ok(code)
}
