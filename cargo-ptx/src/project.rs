//! Finds the crate of kernels that a command is about.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use ptx_build::Kernels;
use ptx_build::cargo::{self, DeviceCrate};

/// The choice of a crate of kernels, and the settings of its build.
#[derive(clap::Args, Default)]
pub struct Crate {
    /// The folder of the kernels' crate [default: this folder, or the one crate of this workspace that has kernels]
    #[arg(long = "kernels", value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// The folder for results [default: `ptx` in the target folder of the workspace]
    #[arg(long, value_name = "FOLDER")]
    out_dir: Option<PathBuf>,
    /// A feature of the crate, repeatable
    #[arg(long, short = 'F', value_name = "FEATURE")]
    features: Vec<String>,
}

/// A crate of kernels that was found.
pub struct Project {
    /// The folder of the crate's `Cargo.toml`.
    pub folder: PathBuf,
    /// The folder for results.
    pub out_dir: PathBuf,
}

impl Crate {
    /// Finds the crate.
    pub fn find(&self) -> Result<Project> {
        let here = std::env::current_dir().context("cannot read the current folder")?;
        let start = self.folder.as_ref().map_or(here.clone(), |folder| here.join(folder));
        let (target, crates) = cargo::device_crates(&start)?;
        let folder = choose(&start, crates, self.folder.is_some())?;
        let out_dir = self.out_dir.as_ref().map_or(target.join("ptx"), |folder| here.join(folder));
        Ok(Project { folder, out_dir })
    }

    /// Begins the build of the crate in `project`, with the linker beside this program if there is one.
    pub fn build(&self, project: &Project) -> Kernels {
        let build = ptx_build::kernels(&project.folder).out_dir(&project.out_dir);
        let build = build.features(&self.features).progress(true);
        match beside_this_program() {
            Some(linker) if std::env::var_os("PTX_LINK").is_none() => build.linker(linker),
            _ => build,
        }
    }
}

/// Returns the linker that was installed with this program.
pub fn beside_this_program() -> Option<PathBuf> {
    let linker =
        std::env::current_exe().ok()?.with_file_name(format!("ptx-link{}", std::env::consts::EXE_SUFFIX));
    linker.is_file().then_some(linker)
}

/// Returns the crate that contains the folder `start`, else the only crate of the workspace, or the only `cdylib` among several.
fn choose(start: &Path, crates: Vec<DeviceCrate>, is_named: bool) -> Result<PathBuf> {
    let start = std::fs::canonicalize(start)?;
    // Of two folders, one in the other, the inner one contains `start` more closely.
    let around = crates.iter().filter(|own| start.starts_with(&own.folder));
    if let Some(own) = around.max_by_key(|own| own.folder.as_os_str().len()) {
        return Ok(own.folder.clone());
    }
    let kernels: Vec<_> = crates.iter().filter(|own| own.is_cdylib).collect();
    match (&crates[..], &kernels[..]) {
        _ if is_named => bail!("{} has no library that depends on `ptx`", start.display()),
        ([], _) => bail!(
            "no library of this workspace depends on `ptx`: run the command in the folder of your kernels, or make a project by \
             `cargo ptx new`"
        ),
        ([only], _) => Ok(only.folder.clone()),
        (_, [only]) => Ok(only.folder.clone()),
        _ => {
            let folders: Vec<_> = crates.iter().map(|own| own.folder.display().to_string()).collect();
            bail!(
                "several crates depend on `ptx`: choose one by `--kernels FOLDER` of {}",
                folders.join(", ")
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crate_around_the_folder_is_chosen_else_the_only_one() {
        let home = std::fs::canonicalize(env!("CARGO_MANIFEST_DIR")).unwrap();
        let library = |folder: &str| DeviceCrate { folder: home.join(folder), is_cdylib: false };
        let kernels = |folder: &str| DeviceCrate { is_cdylib: true, ..library(folder) };
        let (own, other) = (home.join("src"), home.join("tests"));
        assert_eq!(choose(&own, vec![library("tests"), library("src")], false).unwrap(), own);
        assert_eq!(choose(&home, vec![library("tests")], false).unwrap(), other);
        assert_eq!(choose(&home, vec![library("src"), kernels("tests")], false).unwrap(), other);
        assert_eq!(choose(&own, vec![library("src"), kernels("tests")], false).unwrap(), own);
        for crates in [vec![library("src"), library("tests")], vec![kernels("src"), kernels("tests")]] {
            let error = choose(&home, crates, false).unwrap_err().to_string();
            assert!(error.contains("--kernels FOLDER") && error.contains("src"), "{error}");
        }
        assert!(choose(&home, vec![], false).unwrap_err().to_string().contains("cargo ptx new"));
        assert!(choose(&home, vec![library("src")], true).unwrap_err().to_string().contains("no library"));
    }
}
