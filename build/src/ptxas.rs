//! Finds and runs NVIDIA's assembler, and reads its reports.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fmt, fs};

use anyhow::{Context, Result, bail, ensure};

use crate::Arch;
use crate::process::run;

/// The first CUDA that knows every target and instruction of `ptx`.
pub const OLDEST: Version = Version([13, 0, 0]);

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

/// The report of ptxas on one kernel.
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

/// The report of ptxas on a module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AssembleReport {
    /// The kernels, in ptxas's order.
    pub kernels: Vec<KernelReport>,
    /// The complete output of ptxas.
    pub text: String,
}

/// The folder of a CUDA with ptxas and the programs beside it, and the version of that ptxas.
#[derive(Clone, Debug)]
pub struct Ptxas {
    bin: PathBuf,
    version: Version,
}

impl Ptxas {
    /// Returns the ptxas of an installed CUDA ([`installed`]) of version [`OLDEST`] or newer; `None` if there is no CUDA.
    ///
    /// # Errors
    ///
    /// If every installed CUDA is older.
    pub fn find() -> Result<Option<Ptxas>> {
        let mut old = None;
        for bin in installed() {
            let version = version_of(&bin.join("ptxas"))?;
            if version >= OLDEST {
                return Ok(Some(Ptxas { bin, version }));
            }
            old.get_or_insert((bin, version));
        }
        match old {
            Some((bin, version)) => {
                bail!(
                    "the ptxas in {} is {version}; {OLDEST} or newer is needed: set CUDA_HOME",
                    bin.display()
                )
            }
            None => Ok(None),
        }
    }

    /// Returns the version.
    pub fn version(&self) -> Version {
        self.version
    }

    /// Returns the path of `ptxas`, or of a program beside it.
    pub fn program(&self, name: &str) -> PathBuf {
        self.bin.join(name)
    }

    /// Assembles a PTX file into a cubin. Line numbers of the PTX go into the cubin if `line_tables` asks for them.
    ///
    /// # Errors
    ///
    /// If ptxas refuses the file; the error contains what ptxas says.
    pub fn assemble(
        &self,
        ptx: &Path,
        arch: Arch,
        cubin: &Path,
        line_tables: bool,
    ) -> Result<AssembleReport> {
        let mut ptxas = Command::new(self.program("ptxas"));
        ptxas.args(["-v", &format!("-arch={arch}")]);
        if line_tables {
            ptxas.arg("-lineinfo");
        }
        let output = run(ptxas.arg("-o").arg(cubin).arg(ptx))
            .with_context(|| format!("cannot assemble {} for {arch}", ptx.display()))?;
        ensure!(fs::exists(cubin)?, "ptxas wrote no {}", cubin.display());
        let report = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
        parse_verbose(report.into_owned()).with_context(|| format!("ptxas on {}", ptx.display()))
    }
}

/// Returns the folders that may contain the programs of an installed CUDA, the most specific first.
pub fn installed() -> Vec<PathBuf> {
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

/// Returns the version of a tool of CUDA, by its answer to `--version`.
pub fn version_of(program: &Path) -> Result<Version> {
    let output = run(Command::new(program).arg("--version"))?;
    let answer = String::from_utf8_lossy(&output.stdout);
    Version::parse(&answer).with_context(|| {
        format!("cannot find a version in the output of `{} --version`: {answer}", program.display())
    })
}

/// Returns the mnemonics of the instructions of each function in the output of `nvdisasm -c`, without `NOP`.
pub fn mnemonics(sass: &str) -> BTreeMap<&str, Vec<&str>> {
    let functions = sass.split("\t.section\t.text.").skip(1).map(|function| {
        let name = function.split_once(',').map_or(function, |(name, _)| name);
        (name, function.lines().filter_map(mnemonic).filter(|mnemonic| *mnemonic != "NOP").collect())
    });
    functions.collect()
}

/// Returns the mnemonic in a line such as `/*0090*/  @!P1 BRA …`.
fn mnemonic(line: &str) -> Option<&str> {
    let (_, instruction) = line.trim_start().strip_prefix("/*")?.split_once("*/")?;
    let mut words = instruction.split([' ', ';', '\t']).filter(|word| !word.is_empty());
    words.find(|word| !word.starts_with('@'))
}

/// Checks that ptxas leaves products of `wgmma` in flight. Where it cannot, it says so in a note without a level of its own: `(C7510)
/// Potential Performance Loss: wgmma.mma_async instructions are serialized due to … in the function 'k'`. The kernel would be right, and
/// many times slower.
fn ensure_in_flight(text: &str) -> Result<()> {
    let is_serialized = |line: &&str| line.contains("wgmma") && line.contains("serialized");
    let Some(line) = text.lines().find(is_serialized) else { return Ok(()) };
    bail!(
        "ptxas serializes the products of `wgmma`: each waits for the one before it, and the tensor cores idle.\n{}\n\
         The cause is in the closure of the consumers: a panic, a trap or a call that is not inlined, also one that never comes; an \
         access to sums in flight; or an accumulator that does not fit into the registers. Replace what can panic (`get` for an index, \
         `wrapping_add` for `+`), index accumulators by constants (`unroll`), or choose fewer columns or more registers in `MaxRegisters`",
        line.trim()
    );
}

/// Parses the output of `ptxas -v`.
///
/// # Errors
///
/// If a figure is missing, or ptxas serializes products of `wgmma`.
pub fn parse_verbose(text: String) -> Result<AssembleReport> {
    ensure_in_flight(&text)?;
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
    fn serialized_products_are_an_error() {
        let note = "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to \
            non wgmma instructions defining accumulator registers of a wgmma between start and end of the pipeline stage in the \
            function 'k2'\n";
        let error = parse_verbose(note.to_owned() + VERBOSE).unwrap_err().to_string();
        assert!(error.contains("in the function 'k2'") && error.contains("`MaxRegisters`"), "{error}");
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
}
