//! Finds the linker `ptx-link`.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

/// The version of this library, of `ptx`, and of the linker. The three belong together.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Returns the linker: `chosen`, else the one in the variable `PTX_LINK`, else the one in cargo's folder `bin`, else the one on
/// `PATH`.
///
/// # Errors
///
/// If there is no linker, or the linker is not `ptx-link` of [`VERSION`].
pub fn find(chosen: Option<&Path>) -> Result<PathBuf> {
    let linker = match chosen.map(Path::to_path_buf).or_else(|| env::var_os("PTX_LINK").map(PathBuf::from)) {
        Some(linker) => {
            let place = if chosen.is_some() { "the chosen linker" } else { "PTX_LINK" };
            ensure!(linker.is_file(), "{place} is {}, which is not a file", linker.display());
            linker
        }
        None => installed().with_context(|| {
            format!(
                "ptx-link, the linker of the kernels, is neither in cargo's folder `bin` nor on PATH: run `cargo install --path \
                 cargo-ptx` in a clone of the repository, or `{}` for the version of crates.io, or name the linker by PTX_LINK",
                install()
            )
        })?,
    };
    // The programs that use the linker run in other folders.
    let linker = std::path::absolute(&linker)?;
    check(&linker)?;
    Ok(linker)
}

/// Returns the command that installs the linker of [`VERSION`].
pub fn install() -> String {
    format!("cargo install cargo-ptx --version {VERSION}")
}

fn installed() -> Option<PathBuf> {
    let cargo_home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let cargo_home = cargo_home.or_else(|| Some(env::home_dir()?.join(".cargo")));
    let beside_cargo_ptx = cargo_home.map(|home| home.join("bin").join(program()));
    beside_cargo_ptx.filter(|linker| linker.is_file()).or_else(|| which::which("ptx-link").ok())
}

fn program() -> String {
    format!("ptx-link{}", env::consts::EXE_SUFFIX)
}

/// Checks that a program is `ptx-link` of [`VERSION`].
fn check(linker: &Path) -> Result<()> {
    let shown = linker.display();
    ensure!(
        linker.file_stem().is_some_and(|stem| stem == "ptx-link"),
        "{shown} is not named `ptx-link`, the name by which `ptx` knows a linker that keeps convergent instructions in place: \
         rename it"
    );
    let output = Command::new(linker).arg("--version").output();
    let output = output.with_context(|| format!("cannot run {shown}: run `{}`", install()))?;
    let answer = String::from_utf8_lossy(&output.stdout);
    match answer.trim().strip_prefix("ptx-link ") {
        Some(VERSION) => Ok(()),
        Some(version) => bail!(
            "{shown} has version {version}, and ptx-build has version {VERSION}: run `{}`, or use ptx-build and ptx {version}",
            install()
        ),
        None => bail!(
            "{shown} is another linker (it answers {:?} to `--version`), and would let LLVM move barriers into divergent \
             branches: run `{}`",
            answer.lines().next().unwrap_or_default(),
            install()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    use crate::files;

    #[track_caller]
    fn refusal(name: &str, answer: &str) -> String {
        let folder = TempDir::new().unwrap();
        let linker = folder.path().join(name);
        files::write_executable(&linker, format!("#!/bin/sh\necho '{answer}'\n")).unwrap();
        find(Some(&linker)).unwrap_err().to_string()
    }

    #[test]
    fn the_linker_of_the_version_is_taken() {
        let folder = TempDir::new().unwrap();
        let linker = folder.path().join("ptx-link");
        files::write_executable(&linker, format!("#!/bin/sh\necho 'ptx-link {VERSION}'\n")).unwrap();
        assert_eq!(find(Some(&linker)).unwrap(), linker);
    }

    #[test]
    fn another_version_is_refused_with_the_command_that_installs_the_right_one() {
        let error = refusal("ptx-link", "ptx-link 99.7.0");
        assert!(error.contains("has version 99.7.0"), "{error}");
        assert!(error.contains(&format!("run `cargo install cargo-ptx --version {VERSION}`")), "{error}");
    }

    #[test]
    fn a_stock_linker_is_refused_under_any_name() {
        let error = refusal("ptx-link", "llvm-bitcode-linker 0.0.1");
        assert!(error.contains("another linker") && error.contains("llvm-bitcode-linker 0.0.1"), "{error}");
        let error = refusal("llvm-bitcode-linker", "llvm-bitcode-linker 0.0.1");
        assert!(error.contains("not named `ptx-link`"), "{error}");
    }

    #[test]
    fn a_linker_that_is_not_there_is_named() {
        let error = find(Some(Path::new("/nowhere/ptx-link"))).unwrap_err().to_string();
        assert_eq!(error, "the chosen linker is /nowhere/ptx-link, which is not a file");
    }
}
