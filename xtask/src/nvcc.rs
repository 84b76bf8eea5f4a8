//! NVIDIA's CUDA C++ compiler, from an installed CUDA or from PyPI.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use tempfile::TempDir;

use ptx_build::ptxas::{OLDEST, installed, version_of};

use crate::cuda::{WHEEL_VERSION, fetch_wheels};
use crate::device::Arch;
use crate::process::run;
use crate::{files, progress, root};

/// The compiler, its front end, its back end, and the headers of CUDA and libcu++.
const WHEELS: [(&str, &str); 5] = [
    ("nvidia-cuda-nvcc", WHEEL_VERSION),
    ("nvidia-cuda-crt", WHEEL_VERSION),
    ("nvidia-nvvm", WHEEL_VERSION),
    ("nvidia-cuda-runtime", WHEEL_VERSION),
    ("nvidia-cuda-cccl", "13.3.5.0.6"),
];
/// The programs of the wheels that compile to PTX.
const PROGRAMS: [&str; 3] = ["bin/nvcc", "bin/cudafe++", "nvvm/bin/cicc"];
const OPTIONS: [&str; 2] = ["-std=c++20", "-ptx"];

/// `nvcc` and its headers.
#[derive(Clone, Debug)]
pub struct Compiler {
    nvcc: PathBuf,
    /// The output of `nvcc --version`.
    version: String,
}

impl Compiler {
    /// Returns nvcc of an installed CUDA 13.0 or newer. If there is none, fetches wheels from PyPI into `target/cuda/`, once.
    pub fn find_or_fetch() -> Result<Compiler> {
        let found = installed().into_iter().map(|bin| bin.join("nvcc")).filter(|nvcc| nvcc.exists());
        for nvcc in found {
            if let Ok(version) = version_of(&nvcc)
                && version >= OLDEST
            {
                return Ok(Compiler { nvcc, version: version.to_string() });
            }
        }
        Compiler::fetched_at(&root().join(format!("target/cuda/nvcc-{WHEEL_VERSION}")), &[])
    }

    fn fetched_at(folder: &Path, pip_options: &[&str]) -> Result<Compiler> {
        let _lock = files::lock(&folder.with_extension("lock"))?;
        let nvcc = folder.join("bin/nvcc");
        let ready = || -> Result<Compiler> {
            let version = version_of(&nvcc)?.to_string();
            ensure!(version == WHEEL_VERSION, "expected {WHEEL_VERSION}, found {version}");
            Ok(Compiler { nvcc: nvcc.clone(), version })
        };
        if let Ok(compiler) = ready() {
            return Ok(compiler);
        }
        progress::step(&format!("fetching nvcc {WHEEL_VERSION}"), || {
            files::replace_folder(folder, |fresh| fetch(fresh, pip_options))
        })?;
        ready().with_context(|| format!("the fetched nvcc in {} does not run", folder.display()))
    }

    /// Returns the PTX of the sources in a folder, as one translation unit, so that nvcc reads the headers, which take most of
    /// the time, once. Compiles only if a source, a header in the folder or the compiler has changed.
    pub fn compile(&self, folder: &Path, arch: Arch) -> Result<String> {
        let unit = Unit::of(folder)?;
        let ptx = root().join(format!("target/cuda/ptx/{:016x}.ptx", self.fingerprint(&unit, arch)));
        if let Ok(text) = fs::read_to_string(&ptx) {
            return Ok(text);
        }
        let scratch = TempDir::new()?;
        let (source, fresh) = (scratch.path().join("unit.cu"), scratch.path().join("unit.ptx"));
        fs::write(&source, unit.text)?;
        let mut nvcc = Command::new(&self.nvcc);
        nvcc.args(OPTIONS)
            .arg(format!("-arch={arch}"))
            .arg("-I")
            .arg(folder)
            .arg("-o")
            .arg(&fresh)
            .arg(source);
        progress::step(&format!("compiling {} with nvcc", folder.display()), || run(&mut nvcc))
            .with_context(|| {
                format!(
                    "nvcc on {} (nvcc calls gcc's C++ compiler; if it is missing: `apt-get install g++`)",
                    folder.display()
                )
            })?;
        let text = fs::read_to_string(&fresh).context("nvcc wrote no PTX")?;
        files::write(&ptx, &text)?;
        Ok(text)
    }

    /// Hashes everything that the PTX depends on.
    fn fingerprint(&self, unit: &Unit, arch: Arch) -> u64 {
        let mut hasher = DefaultHasher::new();
        (&self.version, OPTIONS, arch, unit).hash(&mut hasher);
        hasher.finish()
    }
}

/// A translation unit of all sources in a folder.
#[derive(Debug, Hash)]
struct Unit {
    /// All includes of other folders first, then the headers, then each source in a namespace of its own.
    text: String,
    /// The names and texts of the sources and headers that `text` includes.
    files: BTreeMap<String, String>,
}

impl Unit {
    fn of(folder: &Path) -> Result<Unit> {
        let mut files = BTreeMap::new();
        let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "cu" || extension == "cuh") {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let text = fs::read_to_string(&path);
                files.insert(name, text.with_context(|| format!("cannot read {}", path.display()))?);
            }
        }
        Unit::new(files)
    }

    fn new(files: BTreeMap<String, String>) -> Result<Unit> {
        const INCLUDE: &str = "#include <";
        let mut includes = BTreeSet::new();
        for (name, text) in &files {
            for line in text.lines() {
                if line.starts_with(INCLUDE) {
                    includes.insert(line);
                    continue;
                }
                // In a namespace, the header would declare other functions.
                let directive = line.trim_start().strip_prefix('#').unwrap_or_default().trim_start();
                ensure!(
                    !(directive.starts_with("include") && directive.contains('<')),
                    "{name}: `{}` does not begin with `{INCLUDE}`",
                    line.trim()
                );
            }
        }
        let mut text: String = includes.iter().map(|line| format!("{line}\n")).collect();
        let (headers, sources): (Vec<_>, Vec<_>) = files.keys().partition(|name| name.ends_with(".cuh"));
        for name in headers {
            writeln!(text, "#include \"{name}\"")?;
        }
        for name in sources {
            writeln!(text, "namespace {} {{\n#include \"{name}\"\n}}", name.replace(['.', '-'], "_"))?;
        }
        Ok(Unit { text, files })
    }
}

/// Fetches the wheels with pip, and keeps the parts that compile to PTX in `folder`.
fn fetch(folder: &Path, pip_options: &[&str]) -> Result<()> {
    let site = folder.join("site");
    let wheels = WHEELS.map(|(wheel, version)| format!("{wheel}=={version}"));
    fetch_wheels("nvcc", &wheels, &site, pip_options)?;
    for part in ["bin", "nvvm", "include"] {
        let unpacked = site.join("nvidia/cu13").join(part);
        fs::rename(&unpacked, folder.join(part))
            .with_context(|| format!("the wheels contain no {}", unpacked.display()))?;
    }
    for program in PROGRAMS {
        let program = folder.join(program);
        if !program.exists() {
            bail!("the wheels contain no {}", program.display());
        }
        files::make_executable(&program)?;
    }
    Ok(fs::remove_dir_all(site)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_download_leaves_nothing_and_says_what_to_do() {
        let home = TempDir::new().unwrap();
        let error =
            Compiler::fetched_at(&home.path().join("nvcc"), &["--isolated", "--no-index"]).unwrap_err();
        let error = format!("{error:#}");
        assert!(error.contains("nvcc from PyPI") && error.contains("CUDA_HOME"), "{error}");
        let left: Vec<_> =
            fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["nvcc.lock"]);
    }

    #[test]
    fn a_changed_file_is_seen() {
        let home = TempDir::new().unwrap();
        let (source, header) = (home.path().join("a.cu"), home.path().join("common.cuh"));
        fs::write(&source, "").unwrap();
        fs::write(&header, "").unwrap();
        let compiler = Compiler { nvcc: "nvcc".into(), version: "13.5.37".into() };
        let fingerprint = || compiler.fingerprint(&Unit::of(home.path()).unwrap(), Arch::Sm90a);
        let before = fingerprint();
        assert_eq!(fingerprint(), before);
        fs::write(&header, "//").unwrap();
        let of_header = fingerprint();
        assert_ne!(of_header, before);
        fs::write(&source, "//").unwrap();
        assert_ne!(fingerprint(), of_header);
    }

    #[test]
    fn sources_have_their_includes_before_their_namespaces() {
        let unit = |files: &[(&str, &str)]| {
            Unit::new(files.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect())
        };
        let whole = unit(&[
            ("a.cu", "#include <cuda/ptx>\n#include \"common.cuh\"\n"),
            ("b.cu", "#include <cuda/ptx>\n"),
            ("common.cuh", "#include <cstdint>\n"),
        ]);
        let expected = "#include <cstdint>\n#include <cuda/ptx>\n#include \"common.cuh\"\nnamespace a_cu {\n#include \"a.cu\"\n}\n\
                        namespace b_cu {\n#include \"b.cu\"\n}\n";
        assert_eq!(whole.unwrap().text, expected);
        for inside in ["  #include <cmath>", "# include <cmath>", "#include<cmath>"] {
            let error = unit(&[("a.cu", inside)]).unwrap_err().to_string();
            assert!(error.contains(&format!("a.cu: `{}` does not begin", inside.trim())), "{error}");
        }
    }
}
