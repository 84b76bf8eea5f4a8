//! `./x bundle`, and what `./x run` and `./x bench` run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};
use clap::Args;
use xtask::device::{self, Arch, Build, OptLevel};
use xtask::{bench, files, progress, ptx, root, sanitizer};

use super::{Setup, kernels, module};

/// A device crate of a bundle: its images are `<name>-O<level>`, and `<name>-O<level>-checked` with the feature `checked`.
struct Crate {
    name: &'static str,
    /// Folder, relative to the repository root.
    folder: &'static str,
    /// Opt-levels for a GPU, unless the content names others.
    levels: &'static [OptLevel],
    /// True if the feature `checked` of `ptx` is enabled.
    checked: bool,
}

/// The device crates of a bundle besides the kernels.
const CRATES: &[Crate] = &[
    Crate { name: "canaries", folder: "tests/device/canaries", levels: &OptLevel::ALL, checked: false },
    Crate { name: "slice", folder: "tests/device/slice", levels: BOTH, checked: false },
    Crate { name: "slice", folder: "tests/device/slice", levels: BOTH, checked: true },
    Crate { name: "examples", folder: "examples/kernels", levels: BOTH, checked: false },
    Crate { name: "fixture", folder: "tests/device/fixture", levels: BOTH, checked: false },
    Crate { name: "launch", folder: "tests/device/launch", levels: BOTH, checked: false },
    Crate { name: "link_kernels", folder: "tests/device/link/kernels", levels: BOTH, checked: false },
    Crate { name: "print", folder: "tests/device/print", levels: BOTH, checked: false },
    Crate { name: "registers", folder: "tests/device/registers", levels: BOTH, checked: false },
    Crate { name: "shared", folder: "tests/device/shared", levels: BOTH, checked: false },
    Crate { name: "checked", folder: "tests/device/checked", levels: &[OptLevel::O3], checked: false },
];
const BOTH: &[OptLevel] = &[OptLevel::O0, OptLevel::O3];

/// The target of the kernels.
const ARCH: Arch = Arch::Sm90a;
const PROGRAM: &str = "ptx-gpu";
/// The package of the library by which the programs of `bench/compare` launch kernels.
const COMPARED_LIBRARY: &str = "ptx-bench-library";

#[derive(Args)]
pub struct Options {
    /// The folder to make, which needs only a driver to run
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    #[command(flatten)]
    content: Content,
    /// Add the variants of axpy_bulk in `bench/sweep`, for `ptx-gpu sweep`
    #[arg(long)]
    sweep: bool,
    /// Add the CUDA C++ twins in `bench/cuda`, for `ptx-gpu bench`, and the comparisons in `bench/compare`
    #[arg(long)]
    bench: bool,
    /// Add compute-sanitizer, for `ptx-gpu sanitize`
    #[arg(long)]
    sanitizer: bool,
}

/// What a bundle has besides its usual content.
#[derive(Args, Default, Clone)]
pub struct Content {
    /// Build the kernels with the feature `checked` of `ptx`, which checks their collective calls
    #[arg(long)]
    pub checked: bool,
    /// Build all device crates at this opt-level, and at no other; may be repeated [default: 3, further ones for small crates]
    #[arg(long = "opt-level", value_name = "LEVEL")]
    pub levels: Vec<OptLevel>,
}

/// The device that a bundle is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum For {
    /// A GPU: PTX and cubins.
    Gpu,
    /// The interpreter: PTX alone.
    Interpreter,
}

pub fn run(options: &Options) -> Result<ExitCode> {
    let setup = Setup::ready()?;
    let folder = files::from_caller(&options.folder);
    check_replaceable(&folder)?;
    files::replace_folder(&folder, |fresh| {
        let bundle = Bundle { setup: &setup, folder: fresh, device: For::Gpu };
        bundle.fill(&options.content, options.bench)?;
        if options.bench {
            bundle.comparisons()?;
        }
        if options.sanitizer {
            bundle.sanitizer()?;
        }
        if options.sweep { bundle.sweep() } else { Ok(()) }
    })?;
    let folder = folder.display();
    println!(
        "{folder} is ready: copy it to a machine with an NVIDIA driver, and run {folder}/{PROGRAM} there"
    );
    Ok(ExitCode::SUCCESS)
}

/// Makes the folder that this machine runs.
pub fn make(setup: &Setup, folder: &Path, device: For, content: &Content, twins: bool) -> Result<()> {
    files::replace_folder(folder, |fresh| Bundle { setup, folder: fresh, device }.fill(content, twins))
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

/// A bundle in the making: a folder with the kernels, the other device crates, and the program that runs them.
struct Bundle<'a> {
    setup: &'a Setup,
    folder: &'a Path,
    device: For,
}

impl Bundle<'_> {
    fn fill(&self, content: &Content, twins: bool) -> Result<()> {
        let toolchain = &self.setup.toolchain;
        let of_kernels = match self.device {
            For::Gpu => &[OptLevel::O3],
            For::Interpreter => BOTH,
        };
        for opt_level in self.levels(content, of_kernels) {
            for kernel in kernels(toolchain, build("kernels", opt_level, content.checked), None)? {
                self.add(&format!("{}-O{opt_level}", kernel.name), &kernel.text)?;
            }
        }
        for of in CRATES {
            for opt_level in self.levels(content, of.levels) {
                let module = module(toolchain, build(of.folder, opt_level, of.checked))?;
                let suffix = if of.checked { "-checked" } else { "" };
                self.add(&format!("{}-O{opt_level}{suffix}", of.name), &module.text)?;
            }
        }
        if twins {
            for twin in ptx::split(&bench::twins()?)? {
                self.add(&format!("{}-nvcc", twin.name), &twin.text)?;
            }
        }
        // With the interpreter, the program takes little of the time, and the unoptimized one is built for the tests anyway.
        let profile = if self.device == For::Gpu { "release" } else { "dev" };
        let program = device::workspace_program(toolchain, PROGRAM, profile)?;
        fs::copy(&program, self.folder.join(PROGRAM))
            .with_context(|| format!("cannot copy {}", program.display()))?;
        Ok(())
    }

    /// Returns the opt-levels that the content names, or else those of a crate: the interpreter runs a crate at no more than two
    /// levels.
    fn levels(&self, content: &Content, of_crate: &[OptLevel]) -> Vec<OptLevel> {
        let runs = |level: &OptLevel| self.device == For::Gpu || BOTH.contains(level);
        match &content.levels[..] {
            [] => of_crate.iter().copied().filter(runs).collect(),
            levels => levels.to_vec(),
        }
    }

    fn sweep(&self) -> Result<()> {
        fs::create_dir(self.folder.join("sweep"))?;
        let variants = module(&self.setup.toolchain, Build::new("bench/sweep", ARCH))?;
        for kernel in ptx::split(&variants.text)?.iter().filter(|kernel| kernel.name != "axpy_bulk") {
            self.add(&format!("sweep/{}", kernel.name), &kernel.text)?;
        }
        Ok(())
    }

    /// Adds the programs that compare kernels with others, and the library by which they launch kernels.
    fn comparisons(&self) -> Result<()> {
        let folder = self.folder.join("compare");
        fs::create_dir(&folder)?;
        let mut files = vec![device::workspace_library(&self.setup.toolchain, COMPARED_LIBRARY, "release")?];
        for entry in fs::read_dir(root().join("bench/compare"))? {
            let file = entry?.path();
            if file.extension().is_some_and(|extension| extension == "py") {
                files.push(file);
            }
        }
        for file in files {
            let name = file.file_name().context("a file has a name")?;
            fs::copy(&file, folder.join(name)).with_context(|| format!("cannot copy {}", file.display()))?;
        }
        Ok(())
    }

    fn sanitizer(&self) -> Result<()> {
        let folder = self.folder.join("compute-sanitizer");
        fs::create_dir(&folder)?;
        for entry in fs::read_dir(sanitizer::find_or_fetch()?)? {
            let entry = entry?;
            fs::copy(entry.path(), folder.join(entry.file_name()))?;
        }
        Ok(())
    }

    fn add(&self, name: &str, text: &str) -> Result<()> {
        let ptx = self.folder.join(format!("{name}.ptx"));
        files::write(&ptx, text)?;
        if self.device == For::Gpu {
            progress::step(&format!("assembling {name}"), || {
                self.setup.tools.assemble(&ptx, ARCH, &ptx.with_extension("cubin"))
            })?;
        }
        Ok(())
    }
}

fn build(folder: &str, opt_level: OptLevel, checked: bool) -> Build {
    let features = if checked { vec!["ptx/checked".into()] } else { Vec::new() };
    Build { opt_level, features, ..Build::new(folder, ARCH) }
}

/// Returns a command that runs the program of a bundle.
pub fn program(folder: &Path) -> Command {
    let mut program = Command::new(folder.join(PROGRAM));
    program.arg("--dir").arg(folder);
    program
}

/// Runs the program of a bundle to its end.
pub fn finish(mut program: Command) -> Result<ExitCode> {
    let status = program.status().with_context(|| format!("cannot run {PROGRAM}"))?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    code.map(ExitCode::from).with_context(|| format!("{PROGRAM} ended with {status}"))
}
