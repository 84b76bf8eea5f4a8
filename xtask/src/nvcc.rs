//! NVIDIA's CUDA C++ compiler, from an installed CUDA or from PyPI.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, thread};

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
    /// Its answer to `--version`.
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

    /// Returns the PTX of a source file. Compiles only if the source, a header in its folder or the compiler has changed.
    pub fn compile(&self, source: &Path, arch: Arch) -> Result<String> {
        let name = source.file_stem().and_then(|stem| stem.to_str()).context("a source without a name")?;
        let ptx = root().join(format!("target/cuda/ptx/{name}-{:016x}.ptx", self.fingerprint(source, arch)?));
        if let Ok(text) = fs::read_to_string(&ptx) {
            return Ok(text);
        }
        let scratch = TempDir::new()?;
        let fresh = scratch.path().join("module.ptx");
        let mut nvcc = Command::new(&self.nvcc);
        nvcc.args(OPTIONS).arg(format!("-arch={arch}")).arg("-o").arg(&fresh).arg(source);
        progress::step(&format!("compiling {name}.cu"), || run(&mut nvcc)).with_context(|| {
            format!(
                "nvcc on {} (nvcc calls gcc's C++ compiler; if it is missing: `apt-get install g++`)",
                source.display()
            )
        })?;
        let text = fs::read_to_string(&fresh).context("nvcc wrote no PTX")?;
        files::write(&ptx, &text)?;
        Ok(text)
    }

    /// Calls [`compile`](Self::compile) for each source, with one thread per processor.
    pub fn compile_all(&self, sources: &[PathBuf], arch: Arch) -> Result<Vec<String>> {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let part = sources.len().div_ceil(threads).max(1);
        thread::scope(|scope| {
            let compile = |part: &[PathBuf]| -> Result<Vec<String>> {
                part.iter().map(|source| self.compile(source, arch)).collect()
            };
            let parts: Vec<_> = sources.chunks(part).map(|part| scope.spawn(move || compile(part))).collect();
            let mut texts = Vec::new();
            for part in parts {
                match part.join() {
                    Ok(compiled) => texts.extend(compiled?),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            Ok(texts)
        })
    }

    /// Hashes everything that the PTX depends on.
    fn fingerprint(&self, source: &Path, arch: Arch) -> Result<u64> {
        let mut hasher = DefaultHasher::new();
        (&self.version, OPTIONS, arch).hash(&mut hasher);
        let mut texts = vec![source.to_owned()];
        texts.extend(sources_in(source.parent().unwrap_or(Path::new(".")), "cuh")?);
        for text in texts {
            fs::read(&text).with_context(|| format!("cannot read {}", text.display()))?.hash(&mut hasher);
        }
        Ok(hasher.finish())
    }
}

/// Returns the files of a folder with this extension, sorted.
pub fn sources_in(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.retain(|path| path.extension().is_some_and(|end| end == extension));
    paths.sort();
    Ok(paths)
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
    fn a_changed_header_is_seen() {
        let home = TempDir::new().unwrap();
        let (source, header) = (home.path().join("a.cu"), home.path().join("common.cuh"));
        fs::write(&source, "").unwrap();
        fs::write(&header, "").unwrap();
        let compiler = Compiler { nvcc: "nvcc".into(), version: "13.5.37".into() };
        let before = compiler.fingerprint(&source, Arch::Sm90a).unwrap();
        assert_eq!(compiler.fingerprint(&source, Arch::Sm90a).unwrap(), before);
        fs::write(&header, "//").unwrap();
        assert_ne!(compiler.fingerprint(&source, Arch::Sm90a).unwrap(), before);
    }
}
