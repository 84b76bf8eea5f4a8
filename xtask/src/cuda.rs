//! NVIDIA's assembler and disassembler, from an installed CUDA or from PyPI.

use std::collections::BTreeMap;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result, anyhow, bail, ensure};
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use crate::device::Arch;
use crate::process::run;
use crate::{files, progress, root};

/// The version of all wheels.
pub(crate) const WHEEL_VERSION: &str = "13.5.37";
const WHEELS: [&str; 3] = ["nvidia-cuda-nvcc", "nvidia-cuda-nvdisasm", "nvidia-cuda-cuobjdump"];
const PROGRAMS: [&str; 3] = ["ptxas", "nvdisasm", "cuobjdump"];
/// The first CUDA that knows every target and instruction of this repository.
pub(crate) const OLDEST: Version = Version([13, 0, 0]);

/// A version of CUDA's tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version([u32; 3]);

impl Version {
    /// Reads the answer of a tool to `--version`: `… release 13.5, V13.5.37`.
    fn parse(answer: &str) -> Option<Version> {
        let mut words = answer.split_whitespace().filter_map(|word| word.strip_prefix('V'));
        words.find_map(|word| {
            let numbers: Result<Vec<u32>, _> = word.split('.').map(str::parse).collect();
            numbers.ok()?.try_into().ok().map(Version)
        })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let Version([major, minor, patch]) = self;
        write!(formatter, "{major}.{minor}.{patch}")
    }
}

/// The tools `ptxas`, `nvdisasm` and `cuobjdump`.
#[derive(Clone, Debug)]
pub struct Tools {
    bin: PathBuf,
    version: Version,
    origin: String,
}

/// What ptxas reports about one kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelReport {
    /// The kernel's symbol.
    pub name: String,
    /// Registers per thread.
    pub registers: u32,
    /// Static shared memory per CTA, in bytes.
    pub shared: u32,
    /// Stack per thread, called functions included, in bytes: all local memory except spills.
    pub stack: u32,
    /// Bytes of spill stores.
    pub spill_stores: u32,
    /// Bytes of spill loads.
    pub spill_loads: u32,
    /// Barriers per CTA.
    pub barriers: u32,
}

impl KernelReport {
    /// Returns the faults of the kernel: spills, a stack frame.
    pub fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        if self.spill_stores > 0 || self.spill_loads > 0 {
            faults.push(format!("spills ({} B stored, {} B loaded)", self.spill_stores, self.spill_loads));
        }
        if self.stack > 0 {
            faults.push(format!("stack frame ({} B)", self.stack));
        }
        faults
    }
}

/// What ptxas reports about a module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AssembleReport {
    /// The kernels, in ptxas's order.
    pub kernels: Vec<KernelReport>,
    /// The complete output of ptxas.
    pub text: String,
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
        let kept = self.kept(ptx_text, &arch).with_extension("json");
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
            ptxas.args(["-O0", "-o", "text.cubin", "text.ptx"]);
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

    /// Returns the machine code of a cubin, as `nvdisasm -c` prints it. Reuses an earlier result for the same cubin.
    pub fn sass(&self, cubin: &Path) -> Result<String> {
        let content = fs::read(cubin).with_context(|| format!("cannot read {}", cubin.display()))?;
        let kept = self.kept(content, "nvdisasm").with_extension("sass");
        if let Ok(sass) = fs::read_to_string(&kept) {
            return Ok(sass);
        }
        let output = run(Command::new(self.program("nvdisasm")).arg("-c").arg(cubin))?;
        let sass = String::from_utf8_lossy(&output.stdout).into_owned();
        files::write(&kept, &sass)?;
        Ok(sass)
    }
}

/// Returns the folders that may contain the programs of an installed CUDA, the most specific first.
pub(crate) fn installed() -> Vec<PathBuf> {
    let named = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(env::var_os).map(PathBuf::from);
    let usual = PathBuf::from("/usr/local/cuda");
    let on_path = which::which("ptxas").ok().and_then(|ptxas| Some(ptxas.parent()?.to_path_buf()));
    let mut folders = Vec::new();
    for folder in named.chain([usual]).map(|home| home.join("bin")).chain(on_path) {
        if folder.join("ptxas").exists() && !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    folders
}

pub(crate) fn version_of(program: &Path) -> Result<Version> {
    let output = run(Command::new(program).arg("--version"))?;
    let answer = String::from_utf8_lossy(&output.stdout);
    Version::parse(&answer).with_context(|| {
        format!("cannot find a version in the output of `{} --version`: {answer}", program.display())
    })
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
    run(pip.args(["-m", "pip", "--version"])).map_err(|error| {
        anyhow!(
            "{what} is fetched with pip, which is missing: run `apt-get install python3 python3-pip`, or \
             install CUDA {OLDEST} or newer and set CUDA_HOME\n{error:#}"
        )
    })?;
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip"]).args(pip_options).args(["install", "--quiet", "--no-deps", "--no-compile"]);
    pip.args(["--only-binary", ":all:", "--target"]).arg(site).args(wheels);
    pip.env("PIP_ROOT_USER_ACTION", "ignore").env("PIP_USER", "0");
    run(&mut pip).with_context(|| {
        format!(
            "cannot fetch {what} from PyPI: check the network connection and run again, or install CUDA {OLDEST} or \
             newer and set CUDA_HOME"
        )
    })?;
    Ok(())
}

/// Parses the output of `ptxas -v`.
fn parse_verbose(text: String) -> Result<AssembleReport> {
    let mut kernels: Vec<KernelReport> = Vec::new();
    // True while the lines describe the last kernel rather than a function.
    let mut of_kernel = false;
    for line in text.lines() {
        if let Some(rest) = line.split("Compiling entry function '").nth(1) {
            let name = rest.split('\'').next().unwrap_or_default().to_owned();
            kernels.push(KernelReport { name, ..KernelReport::default() });
        } else if let Some(function) = line.split("Function properties for ").nth(1) {
            of_kernel = kernels.last().is_some_and(|kernel| kernel.name == function.trim());
        }
        let Some(kernel) = kernels.last_mut().filter(|_| of_kernel) else { continue };
        if line.contains("bytes stack frame") {
            kernel.stack = kernel.stack.max(number_before(line, "bytes stack frame")?);
            kernel.spill_stores = number_before(line, "bytes spill stores")?;
            kernel.spill_loads = number_before(line, "bytes spill loads")?;
        } else if line.contains(": Used ") {
            kernel.registers = number_before(line, "registers")?;
            kernel.barriers = number_before(line, "barriers").unwrap_or(0);
            kernel.shared = number_before(line, "bytes smem").unwrap_or(0);
            for stack in ["bytes cumulative stack size", "bytes lmem"] {
                kernel.stack = kernel.stack.max(number_before(line, stack).unwrap_or(0));
            }
        }
    }
    if let Some(kernel) = kernels.iter().find(|kernel| kernel.registers == 0) {
        bail!("`ptxas -v` does not report the registers of {}:\n{text}", kernel.name);
    }
    Ok(AssembleReport { kernels, text })
}

fn number_before(line: &str, unit: &str) -> Result<u32> {
    let before = line.split(unit).next().filter(|before| before.len() < line.len());
    before
        .and_then(|before| before.split_whitespace().next_back()?.parse().ok())
        .with_context(|| format!("no number of {unit} in `{line}`"))
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

    const VERBOSE: &str = "\
ptxas info    : 16 bytes gmem
ptxas info    : Compiling entry function 'k2' for 'sm_90a'
ptxas info    : Function properties for k2
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 4 registers, used 0 barriers
ptxas info    : Compile time = 5.341 ms
ptxas info    : Compiling entry function 'k' for 'sm_90a'
ptxas info    : Function properties for k
    64 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 10 registers, used 4 barriers, 96 bytes cumulative stack size, 1024 bytes smem, 400 bytes cmem[0]
ptxas info    : Compile time = 3.438 ms
ptxas info    : Function properties for helper
    32 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Compiling entry function 'k3' for 'sm_90a'
ptxas info    : Function properties for k3
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 6 registers, used 0 barriers, 24 bytes lmem
";

    #[test]
    fn verbose_output_is_read() {
        let report = parse_verbose(VERBOSE.into()).unwrap();
        let plain = KernelReport { name: "k2".into(), registers: 4, ..KernelReport::default() };
        let full = KernelReport {
            name: "k".into(),
            registers: 10,
            shared: 1024,
            stack: 96,
            spill_stores: 8,
            spill_loads: 12,
            barriers: 4,
        };
        assert!(plain.faults().is_empty());
        assert_eq!(full.faults(), ["spills (8 B stored, 12 B loaded)", "stack frame (96 B)"]);
        let local = KernelReport { name: "k3".into(), registers: 6, stack: 24, ..KernelReport::default() };
        assert_eq!(report.kernels, [plain, full, local]);
    }

    #[test]
    fn a_kernel_without_figures_is_an_error() {
        let cut = VERBOSE.split("ptxas info    : Used 10").next().unwrap();
        let error = parse_verbose(cut.into()).unwrap_err().to_string();
        assert!(error.contains("registers of k:"), "{error}");
    }

    #[test]
    fn versions_are_read_and_compared() {
        let answer = "Cuda compilation tools, release 13.5, V13.5.37\nBuild cuda_13.5.r13.5/compiler.1_0\n";
        let version = Version::parse(answer).unwrap();
        assert_eq!(version.to_string(), "13.5.37");
        assert!(version > OLDEST);
        assert!(Version::parse("release 12.9, V12.9.86").unwrap() < OLDEST);
        assert_eq!(Version::parse("no version"), None);
    }

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
