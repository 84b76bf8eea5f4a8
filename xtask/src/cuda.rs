//! NVIDIA's assembler and disassembler, from an installed CUDA or from PyPI.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, anyhow, ensure};
pub use ptx_build::ptxas::{AssembleReport, KernelReport, OLDEST, Version};
use ptx_build::ptxas::{installed, parse_verbose, version_of};
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use crate::device::Arch;
use crate::process::run;
use crate::{files, progress, root};

/// The version of all wheels.
pub(crate) const WHEEL_VERSION: &str = "13.5.37";
const WHEELS: [&str; 3] = ["nvidia-cuda-nvcc", "nvidia-cuda-nvdisasm", "nvidia-cuda-cuobjdump"];
const PROGRAMS: [&str; 3] = ["ptxas", "nvdisasm", "cuobjdump"];
/// The tools `ptxas`, `nvdisasm` and `cuobjdump`.
#[derive(Clone, Debug)]
pub struct Tools {
    bin: PathBuf,
    version: Version,
    origin: String,
}

/// ptxas's errors for a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineError {
    /// Line number, from 1.
    pub line: usize,
    /// The messages, joined by `; `.
    pub message: String,
}

impl Tools {
    /// Returns the tools of an installed CUDA 13.0 or newer (`CUDA_HOME`, `CUDA_PATH`, `/usr/local/cuda`, `PATH`). If there is
    /// none, fetches wheels from PyPI into `target/cuda/`, once.
    pub fn find_or_fetch() -> Result<Tools> {
        let mut passed_over = Vec::new();
        for bin in installed() {
            match Tools::installed_at(&bin) {
                Ok(tools) => return Ok(tools),
                Err(error) => passed_over.push(format!("{error:#}")),
            }
        }
        let folder = root().join("target/cuda").join(WHEEL_VERSION);
        let mut tools = Tools::fetched_at(&folder, &[])?;
        if !passed_over.is_empty() {
            tools.origin = format!("{} ({})", tools.origin, passed_over.join("; "));
        }
        Ok(tools)
    }

    fn installed_at(bin: &Path) -> Result<Tools> {
        for program in PROGRAMS {
            ensure!(bin.join(program).exists(), "the CUDA installed in {} has no {program}", bin.display());
        }
        let version = version_of(&bin.join("ptxas"))?;
        ensure!(
            version >= OLDEST,
            "the ptxas in {} is {version}; {OLDEST} or newer is needed",
            bin.display()
        );
        Ok(Tools { bin: bin.into(), version, origin: format!("the CUDA installed in {}", bin.display()) })
    }

    /// Returns the tools of the wheels in `folder`. Fetches the wheels if the tools are missing or do not run.
    fn fetched_at(folder: &Path, pip_options: &[&str]) -> Result<Tools> {
        let _lock = files::lock(&folder.with_extension("lock"))?;
        let ready = || -> Result<Tools> {
            let version = version_of(&folder.join("bin/ptxas"))?;
            ensure!(version.to_string() == WHEEL_VERSION, "expected {WHEEL_VERSION}, found {version}");
            Ok(Tools { bin: folder.join("bin"), version, origin: "PyPI's wheels".into() })
        };
        if let Ok(tools) = ready() {
            return Ok(tools);
        }
        progress::step(&format!("fetching ptxas {WHEEL_VERSION}"), || {
            files::replace_folder(folder, |fresh| fetch(fresh, pip_options))
        })?;
        ready().with_context(|| format!("the fetched tools in {} do not run", folder.display()))
    }

    /// Returns where the tools come from, and why an installed CUDA was not used.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Returns the version of ptxas.
    pub fn version(&self) -> Version {
        self.version
    }

    /// Returns the path of `ptxas`, `nvdisasm` or `cuobjdump`.
    pub fn program(&self, name: &str) -> PathBuf {
        self.bin.join(name)
    }

    /// Assembles a PTX file into a cubin. Reuses an earlier result of this ptxas for the same text.
    pub fn assemble(&self, ptx: &Path, arch: Arch, out_cubin: &Path) -> Result<AssembleReport> {
        let text = fs::read_to_string(ptx).with_context(|| format!("cannot read {}", ptx.display()))?;
        let kept = self.kept(&text, arch);
        let (kept_cubin, kept_report) = (kept.with_extension("cubin"), kept.with_extension("log"));
        // The report is written last, so its existence means that the cubin exists.
        let report = match fs::read_to_string(&kept_report) {
            Ok(report) => report,
            Err(_) => {
                let scratch = TempDir::new()?;
                let cubin = scratch.path().join("module.cubin");
                let mut ptxas = Command::new(self.program("ptxas"));
                ptxas.arg("-v").arg(format!("-arch={arch}")).arg("-o").arg(&cubin).arg(ptx);
                let output = run(&mut ptxas)
                    .with_context(|| format!("cannot assemble {} for {arch}", ptx.display()))?;
                files::write(&kept_cubin, fs::read(&cubin).context("ptxas wrote no cubin")?)?;
                let report =
                    String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
                files::write(&kept_report, report.as_bytes())?;
                report.into_owned()
            }
        };
        let cubin = fs::read(&kept_cubin).with_context(|| format!("cannot read {}", kept_cubin.display()))?;
        files::write(out_cubin, cubin)?;
        parse_verbose(report).with_context(|| format!("ptxas on {}", ptx.display()))
    }

    /// Returns the path, without extension, of the kept results of these tools for a text or a cubin.
    fn kept(&self, input: impl AsRef<[u8]>, arch: impl fmt::Display) -> PathBuf {
        let mut hasher = DefaultHasher::new();
        (input.as_ref(), arch.to_string(), self.version.to_string()).hash(&mut hasher);
        root().join("target/ptxas").join(format!("{:016x}", hasher.finish()))
    }

    /// Assembles a text and returns all of ptxas's errors by line. ptxas stops after the first pass with errors, so the function
    /// blanks the faulty lines and assembles again until the rest is accepted. Reuses an earlier result for the same text.
    pub fn check_text(&self, ptx_text: &str, arch: impl fmt::Display) -> Result<Vec<LineError>> {
        self.check_text_making(None, ptx_text, arch)
    }

    /// Checks like [`check_text`](Tools::check_text), but generates the code of `kernels` only, which takes most of the time.
    /// ptxas also checks the other kernels. `None` generates the code of all kernels.
    pub fn check_text_making(
        &self,
        kernels: Option<&[String]>,
        ptx_text: &str,
        arch: impl fmt::Display,
    ) -> Result<Vec<LineError>> {
        ensure!(kernels != Some(&[]), "ptxas makes the code of all kernels if none is named");
        let entries = kernels.map(|kernels| format!("--entry={}", kernels.join(",")));
        let made = entries.as_deref().unwrap_or_default();
        let kept = self.kept(ptx_text, format_args!("{arch}{made}")).with_extension("json");
        if let Ok(errors) = fs::read(&kept) {
            return serde_json::from_slice(&errors)
                .with_context(|| format!("cannot read {}", kept.display()));
        }
        let scratch = TempDir::new()?;
        let mut lines: Vec<&str> = ptx_text.lines().collect();
        let mut found = BTreeMap::new();
        loop {
            fs::write(scratch.path().join("text.ptx"), lines.join("\n") + "\n")?;
            let mut ptxas = Command::new(self.program("ptxas"));
            ptxas.current_dir(scratch.path()).arg(format!("-arch={arch}"));
            ptxas.args(["-O0", "-o", "text.cubin", "text.ptx"]).args(&entries);
            let output = ptxas.output().context("cannot run ptxas")?;
            if output.status.success() {
                break;
            }
            let stderr = String::from_utf8_lossy(&output.stderr);
            let known = found.len();
            for (line, message) in line_errors(&stderr) {
                if let Some(text) = lines.get_mut(line - 1).filter(|text| !text.is_empty()) {
                    *text = "";
                    found.insert(line, message);
                }
            }
            ensure!(
                found.len() > known,
                "ptxas refuses the text for {arch} without naming a line:\n{stderr}"
            );
        }
        let errors: Vec<_> = found.into_iter().map(|(line, message)| LineError { line, message }).collect();
        files::write(&kept, serde_json::to_vec(&errors)?)?;
        Ok(errors)
    }

    /// Returns the machine code of a cubin, as `nvdisasm -c --no-dataflow` prints it: the same text as with the dataflow
    /// analysis, in less time. Reuses an earlier result for the same cubin.
    pub fn sass(&self, cubin: &Path) -> Result<String> {
        let content = fs::read(cubin).with_context(|| format!("cannot read {}", cubin.display()))?;
        let kept = self.kept(content, "nvdisasm --no-dataflow").with_extension("sass");
        if let Ok(sass) = fs::read_to_string(&kept) {
            return Ok(sass);
        }
        let output = run(Command::new(self.program("nvdisasm")).args(["-c", "--no-dataflow"]).arg(cubin))?;
        let sass = String::from_utf8_lossy(&output.stdout).into_owned();
        files::write(&kept, &sass)?;
        Ok(sass)
    }
}

/// Fetches the wheels with pip, and keeps the programs in `folder/bin`.
fn fetch(folder: &Path, pip_options: &[&str]) -> Result<()> {
    let site = folder.join("site");
    let wheels = WHEELS.map(|wheel| format!("{wheel}=={WHEEL_VERSION}"));
    fetch_wheels("ptxas", &wheels, &site, pip_options)?;
    fs::create_dir(folder.join("bin"))?;
    for program in PROGRAMS {
        let kept = folder.join("bin").join(program);
        let unpacked = site.join("nvidia/cu13/bin").join(program);
        fs::rename(&unpacked, &kept)
            .with_context(|| format!("the wheels contain no {}", unpacked.display()))?;
        files::make_executable(&kept)?;
    }
    fs::remove_dir_all(site)?;
    Ok(())
}

/// Unpacks wheels from PyPI into `site`. `what` is the needed program, for messages.
pub(crate) fn fetch_wheels(what: &str, wheels: &[String], site: &Path, pip_options: &[&str]) -> Result<()> {
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip"]).args(pip_options).args(["install", "--quiet", "--no-deps", "--no-compile"]);
    pip.args(["--only-binary", ":all:", "--target"]).arg(site).args(wheels);
    pip.env("PIP_ROOT_USER_ACTION", "ignore").env("PIP_USER", "0");
    let Err(error) = run(&mut pip) else { return Ok(()) };
    // `pip --version` takes a second, so it runs only after a failure.
    run(Command::new("python3").args(["-m", "pip", "--version"])).map_err(|error| {
        anyhow!(
            "{what} is fetched with pip, which is missing: run `apt-get install python3 python3-pip`, or \
             install CUDA {OLDEST} or newer and set CUDA_HOME\n{error:#}"
        )
    })?;
    Err(error.context(format!(
        "cannot fetch {what} from PyPI: check the network connection and run again, or install CUDA {OLDEST} or \
         newer and set CUDA_HOME"
    )))
}

/// Returns the errors in ptxas's stderr by line: `ptxas FILE, line 7; error   : …`.
fn line_errors(stderr: &str) -> BTreeMap<usize, String> {
    let mut errors: BTreeMap<usize, String> = BTreeMap::new();
    for (line, message) in stderr.lines().filter_map(line_error) {
        let joined = errors.entry(line).or_default();
        if !joined.is_empty() {
            joined.push_str("; ");
        }
        joined.push_str(message);
    }
    errors
}

fn line_error(text: &str) -> Option<(usize, &str)> {
    let (place, rest) = text.split_once("; ")?;
    let (severity, message) = rest.split_once(": ")?;
    let line = place.rsplit_once(", line ")?.1.parse().ok().filter(|&line| line > 0)?;
    matches!(severity.trim(), "error" | "fatal").then_some((line, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objections_are_read_by_line() {
        let stderr = "\
ptxas text.ptx, line 7; error   : Unknown modifier '.foo'
ptxas text.ptx, line 7; error   : Not a name of any known instruction: 'a; b'
ptxas text.ptx, line 8; warning : harmless
ptxas text.ptx, line 16; fatal   : Parsing error near 'r': syntax error
ptxas fatal   : Ptx assembly aborted due to errors
";
        let errors = line_errors(stderr);
        assert_eq!(errors.keys().copied().collect::<Vec<_>>(), [7, 16]);
        assert_eq!(errors[&7], "Unknown modifier '.foo'; Not a name of any known instruction: 'a; b'");
    }

    #[test]
    fn a_failed_download_leaves_nothing_and_says_what_to_do() {
        let home = TempDir::new().unwrap();
        let folder = home.path().join("tools");
        let error = Tools::fetched_at(&folder, &["--isolated", "--no-index"]).unwrap_err();
        let error = format!("{error:#}");
        assert!(error.contains("PyPI") && error.contains("CUDA_HOME"), "{error}");
        let left: Vec<_> =
            fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["tools.lock"]);
    }

    #[test]
    fn an_old_cuda_is_passed_over_with_the_reason() {
        let home = TempDir::new().unwrap();
        let error = Tools::installed_at(home.path()).unwrap_err().to_string();
        assert!(error.contains("has no ptxas"), "{error}");
        for program in PROGRAMS {
            let script = "#!/bin/sh\necho 'Cuda compilation tools, release 12.4, V12.4.99'\n";
            files::write_executable(&home.path().join(program), script).unwrap();
        }
        let error = Tools::installed_at(home.path()).unwrap_err().to_string();
        assert!(error.contains("12.4.99") && error.contains("13.0.0"), "{error}");
    }
}
