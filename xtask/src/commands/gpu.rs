//! `./x gpu`.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};
use clap::Args;
use xtask::device::{self, Arch, Build, OptLevel};
use xtask::{bench, files, progress, ptx, root};

use super::{Setup, kernels, module};

/// A device crate in the bundle besides the kernels, built once per opt-level.
struct Extra {
    /// Folder, relative to the repository root. Its last part names the files, as in `canaries-O3.ptx`.
    folder: &'static str,
    /// Opt-levels to build at.
    levels: &'static [OptLevel],
    /// Whether to enable the feature `checked` of `ptx`, as for `slice-O3-checked.ptx`.
    checked: bool,
}

/// The device crates in the bundle.
const EXTRA: &[Extra] = &[
    Extra { folder: "tests/device/canaries", levels: &OptLevel::ALL, checked: false },
    Extra { folder: "tests/device/slice", levels: &[OptLevel::O0, OptLevel::O3], checked: false },
    Extra { folder: "tests/device/slice", levels: &[OptLevel::O0, OptLevel::O3], checked: true },
    Extra { folder: "tests/device/checked", levels: &[OptLevel::O3], checked: false },
];

/// The target of the kernels.
const ARCH: Arch = Arch::Sm90a;
const PROGRAM: &str = "ptx-gpu";

#[derive(Args)]
pub struct Options {
    /// Also run axpy_bulk on this file of little-endian f32
    file: Option<PathBuf>,
    /// Make this folder, which needs only a driver to run, and run nothing here
    #[arg(long, value_name = "DIR")]
    bundle: Option<PathBuf>,
    #[command(flatten)]
    content: Content,
    /// Further arguments of `ptx-gpu`
    #[arg(last = true, value_name = "PTX-GPU ARGUMENTS")]
    arguments: Vec<String>,
}

/// What a bundle has besides its usual content.
#[derive(Args, Default)]
pub struct Content {
    /// Add the variants of axpy_bulk in `bench/sweep`, for `ptx-gpu sweep`
    #[arg(long)]
    pub sweep: bool,
    /// Add the CUDA C++ twins in `bench/cuda`, for `ptx-gpu bench`
    #[arg(long)]
    pub bench: bool,
    /// Build the kernels with the feature `checked` of `ptx`, which checks their collective calls
    #[arg(long)]
    pub checked: bool,
}

pub fn run(options: &Options) -> Result<ExitCode> {
    let setup = Setup::ready()?;
    let folder = match &options.bundle {
        Some(folder) => files::from_caller(folder),
        None => root().join("target/gpu"),
    };
    make_bundle(&setup, &folder, &options.content)?;
    if options.bundle.is_some() {
        let folder = folder.display();
        println!(
            "{folder} is ready: copy it to a machine with an NVIDIA driver, and run {folder}/{PROGRAM} there"
        );
        return Ok(ExitCode::SUCCESS);
    }
    let mut arguments: Vec<OsString> = Vec::new();
    if let Some(file) = &options.file {
        arguments.extend(["--file".into(), files::from_caller(file).into()]);
    }
    arguments.extend(options.arguments.iter().map(OsString::from));
    run_here(&folder, &arguments)
}

/// Makes a bundle: a folder with the kernels, the other device crates, and the program that runs them.
pub fn make_bundle(setup: &Setup, folder: &Path, content: &Content) -> Result<()> {
    check_replaceable(folder)?;
    files::replace_folder(folder, |fresh| {
        fill(setup, fresh, content)?;
        if content.bench {
            fill_twins(setup, &fresh.join("cuda"))?;
        }
        Ok(())
    })
}

/// Refuses to replace a folder that is not a bundle.
fn check_replaceable(folder: &Path) -> Result<()> {
    let Ok(mut entries) = fs::read_dir(folder) else { return Ok(()) };
    if entries.next().is_some() && !folder.join(PROGRAM).exists() {
        bail!(
            "{} contains other files: give an empty folder, a new one or an earlier bundle",
            folder.display()
        );
    }
    Ok(())
}

fn fill(setup: &Setup, folder: &Path, content: &Content) -> Result<()> {
    for kernel in kernels(&setup.toolchain, build("kernels", OptLevel::O3, content.checked), None)? {
        add(setup, folder, &kernel.name, &kernel.text)?;
    }
    for extra in EXTRA {
        let name = extra.folder.rsplit('/').next().unwrap_or(extra.folder);
        for &opt_level in extra.levels {
            let module = module(&setup.toolchain, build(extra.folder, opt_level, extra.checked))?;
            let suffix = if extra.checked { "-checked" } else { "" };
            add(setup, folder, &format!("{name}-O{opt_level}{suffix}"), &module.text)?;
        }
    }
    if content.sweep {
        fs::create_dir(folder.join("sweep"))?;
        let variants = module(&setup.toolchain, Build::new("bench/sweep", ARCH))?;
        for kernel in ptx::split(&variants.text)?.iter().filter(|kernel| kernel.name != "axpy_bulk") {
            add(setup, &folder.join("sweep"), &kernel.name, &kernel.text)?;
        }
    }
    let program = device::workspace_program(&setup.toolchain, &[PROGRAM], PROGRAM, "release")?;
    fs::copy(&program, folder.join(PROGRAM)).with_context(|| format!("cannot copy {}", program.display()))?;
    Ok(())
}

fn fill_twins(setup: &Setup, folder: &Path) -> Result<()> {
    fs::create_dir(folder)?;
    for twin in bench::split_twins(&bench::twins()?)? {
        add(setup, folder, &twin.name, &twin.text)?;
    }
    Ok(())
}

fn add(setup: &Setup, folder: &Path, name: &str, text: &str) -> Result<()> {
    let ptx = folder.join(format!("{name}.ptx"));
    files::write(&ptx, text)?;
    progress::step(&format!("assembling {name}"), || {
        setup.tools.assemble(&ptx, ARCH, &ptx.with_extension("cubin"))
    })?;
    Ok(())
}

fn build(folder: &str, opt_level: OptLevel, checked: bool) -> Build {
    let features = if checked { vec!["ptx/checked".into()] } else { Vec::new() };
    Build { opt_level, features, ..Build::new(folder, ARCH) }
}

/// Runs the program of a bundle on this machine.
pub fn run_here(folder: &Path, arguments: &[OsString]) -> Result<ExitCode> {
    let mut program = Command::new(folder.join(PROGRAM));
    program.arg("--dir").arg(folder).args(arguments);
    let status = program.status().with_context(|| format!("cannot run {PROGRAM}"))?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    code.map(ExitCode::from).with_context(|| format!("{PROGRAM} ended with {status}"))
}
