//! Runs every check of `ptx-gpu` as a test. A check that cannot run here counts as ignored.
//!
//! The checks of `ptx-host` need a GPU. The checks of kernels also need the variable `PTX_GPU_DIR`, the path of a bundle made by
//! `./x bundle DIR`. `./x run` runs all checks.

use std::process::{Command, ExitCode};

use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let bundle = std::env::var("PTX_GPU_DIR").ok();
    let no_gpu = ptx_host::open(0).err();
    let trials = names(bundle.as_deref()).into_iter().map(|name| {
        let missing = match &no_gpu {
            Some(error) if error.is_no_gpu() => Some("needs a GPU"),
            _ if !name.starts_with("host/") && bundle.is_none() => Some("needs PTX_GPU_DIR"),
            _ => None,
        };
        let bundle = bundle.clone();
        let trial = Trial::test(name.clone(), move || run(&name, bundle.as_deref()));
        trial.with_kind(missing.unwrap_or_default()).with_ignored_flag(missing.is_some())
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

fn ptx_gpu(bundle: Option<&str>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptx-gpu"));
    command.args(bundle.into_iter().flat_map(|dir| ["--dir", dir]));
    command
}

fn names(bundle: Option<&str>) -> Vec<String> {
    let output = ptx_gpu(bundle).arg("--list").output().expect("ptx-gpu is built with its tests");
    assert!(output.status.success(), "ptx-gpu --list: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).lines().map(Into::into).collect()
}

fn run(name: &str, bundle: Option<&str>) -> Result<(), Failed> {
    let output = ptx_gpu(bundle).arg(name).output()?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stdout).into()) }
}
