//! `./x release`.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, ensure};
use clap::Args;
use ptx_build::files;
use ptx_build::process::run as run_command;
use ptx_build::toolchain::without_callers_settings;
use xtask::{progress, root};

use super::Setup;

/// The published packages, each after those that it depends on.
const PACKAGES: [&str; 9] = [
    "ptx-targets",
    "ptx-macros",
    "ptx",
    "ptx-link",
    "ptx-build",
    "cargo-ptx",
    "ptx-launch",
    "ptx-host",
    "ptx-emu",
];
/// The maximum size of a package. A larger package contains files that no user needs.
const MOST_BYTES: u64 = 640 * 1024;

#[derive(Args)]
pub struct Options {
    /// Publish nothing. Publishing is left to `cargo publish`, in the order that this command prints
    #[arg(long)]
    dry_run: bool,
}

/// Packages everything, and builds and tests a new project against the packages alone.
pub fn run(options: &Options) -> Result<ExitCode> {
    ensure!(
        options.dry_run,
        "`./x release` publishes nothing: run `./x release --dry-run`, then `cargo publish -p` for {}",
        PACKAGES.join(", ")
    );
    let setup = Setup::ready()?;
    let target = setup.toolchain.target_dir().join("release-check");
    // The folder is outside the repository, so that no configuration of the repository applies.
    let home = tempfile::Builder::new().prefix("ptx-release-").tempdir()?;
    let packages = progress::step("packaging", || package(&setup, home.path(), &target))?;
    write_patches(home.path(), &packages)?;
    let installed = progress::step("installing cargo-ptx from its package", || {
        install(&setup, home.path(), &packages, &target)
    })?;
    progress::step("making a project", || {
        let mut new = Command::new(installed.join("cargo-ptx"));
        run_command(without_callers_settings(&mut new).args(["ptx", "new", "demo"]).current_dir(home.path()))
            .map(drop)
    })?;
    progress::step("testing the project", || {
        let mut test = setup.toolchain.cargo();
        without_callers_settings(&mut test)
            .arg("test")
            .env("CARGO_TARGET_DIR", target.join("demo"))
            .env("PTX_LINK", installed.join("ptx-link"))
            .current_dir(home.path().join("demo"));
        run_command(&mut test).map(drop)
    })?;
    println!("ready: `cargo publish -p` for {}", PACKAGES.join(", "));
    Ok(ExitCode::SUCCESS)
}

/// Packages the crates, checks and unpacks the packages, and returns their folders.
fn package(setup: &Setup, home: &Path, target: &Path) -> Result<Vec<PathBuf>> {
    let mut cargo = setup.toolchain.cargo();
    cargo.args(["package", "--no-verify", "--allow-dirty", "--quiet"]).current_dir(root());
    cargo.args(PACKAGES.map(|name| format!("--package={name}"))).arg("--target-dir").arg(target);
    run_command(&mut cargo)?;
    let unpacked = home.join("packages");
    fs::create_dir_all(&unpacked)?;
    let mut folders = Vec::new();
    for name in PACKAGES {
        let full = format!("{name}-{}", env!("CARGO_PKG_VERSION"));
        let archive = target.join("package").join(format!("{full}.crate"));
        let bytes =
            fs::metadata(&archive).with_context(|| format!("no package {}", archive.display()))?.len();
        ensure!(
            bytes <= MOST_BYTES,
            "{full} has {bytes} bytes, more than {MOST_BYTES}: shorten its `include`"
        );
        run_command(Command::new("tar").arg("-xzf").arg(&archive).arg("-C").arg(&unpacked))?;
        let folder = unpacked.join(&full);
        check_content(&folder)?;
        println!("{full}: {} KiB", bytes.div_ceil(1024));
        folders.push(folder);
    }
    Ok(folders)
}

fn check_content(folder: &Path) -> Result<()> {
    for name in ["README.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        ensure!(folder.join(name).is_file(), "{} lacks {name}: add it to `include`", folder.display());
    }
    let tests = folder.join("tests");
    ensure!(!tests.exists(), "{} is packaged: remove it from `include`", tests.display());
    Ok(())
}

/// Makes cargo use the packages in place of published crates, in every folder below `home`.
fn write_patches(home: &Path, packages: &[PathBuf]) -> Result<()> {
    let mut text = "[patch.crates-io]\n".to_owned();
    for (name, folder) in PACKAGES.iter().zip(packages) {
        let _ = writeln!(text, "{name} = {{ path = {:?} }}", folder.display().to_string());
    }
    files::write(&home.join(".cargo/config.toml"), text)
}

fn is_cargo_ptx(folder: &OsStr) -> bool {
    folder.to_string_lossy().starts_with("cargo-ptx-")
}

/// Installs `cargo-ptx` from its package into a folder below `home`, and returns the folder of the programs.
fn install(setup: &Setup, home: &Path, packages: &[PathBuf], target: &Path) -> Result<PathBuf> {
    let mut cargo = setup.toolchain.cargo();
    let package = packages.iter().find(|folder| folder.file_name().is_some_and(is_cargo_ptx));
    let package = package.context("cargo-ptx is not packaged")?;
    without_callers_settings(&mut cargo)
        .args(["install", "--debug", "--quiet", "--path"])
        .arg(package)
        .arg("--root")
        .arg(home.join("installed"))
        .env("CARGO_TARGET_DIR", target.join("install"))
        .current_dir(home);
    run_command(&mut cargo)?;
    Ok(home.join("installed/bin"))
}
