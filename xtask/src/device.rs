//! Device builds: compiles a crate for `nvptx64-nvidia-cuda` into a PTX module.
//!
//! All builds of a toolchain share one `core`, which is compiled once into a private sysroot, at one opt-level and for one
//! target. That is enough: the parts of `core` that a kernel uses are generic or inlined, and so are compiled again with the
//! kernel's own flags.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result, ensure};
use cargo_metadata::Message;
use cargo_metadata::camino::Utf8PathBuf;
pub use ptx_build::{Arch, OptLevel};

use crate::process::run;
use crate::toolchain::{DEVICE_TARGET, Toolchain, without_callers_settings};
use crate::{files, progress, root};

/// The linker that turns rustc's bitcode into PTX.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LinkerChoice {
    /// `ptx-link` of this repository.
    PtxLink,
    /// `ptx-link --no-marks`: the result without convergence marks, as from rustc alone.
    PtxLinkNoMarks,
    /// Another linker.
    Custom(PathBuf),
}

/// One build of a device crate.
#[derive(Clone, Debug)]
pub struct Build {
    /// Folder of the crate's `Cargo.toml`, relative to the repository root.
    pub crate_dir: PathBuf,
    /// The target. Its Cargo feature is enabled too: the crate's, or else that of `ptx`.
    pub arch: Arch,
    /// Opt-level of the crate and its dependencies.
    pub opt_level: OptLevel,
    /// Cargo features besides the target's.
    pub features: Vec<String>,
    /// True if the crate's default features are enabled.
    pub default_features: bool,
    /// The linker.
    pub linker: LinkerChoice,
    /// Further flags for rustc, for the crate and its dependencies.
    pub rustflags: Vec<String>,
    /// Further flags for rustc, for the crate alone.
    pub crate_flags: Vec<String>,
    /// The toolchain, or `None` for the active one.
    pub toolchain: Option<Toolchain>,
}

/// The result of a build.
#[derive(Clone, Debug)]
pub struct Module {
    /// Path of the PTX file.
    pub path: PathBuf,
    /// Text of the PTX file.
    pub text: String,
    /// Warnings of rustc and the linker.
    pub warnings: String,
}

impl Build {
    /// Makes a release build: opt-level 3, `ptx-link`. Only the target's feature is enabled: the default
    /// features of a device crate name a target too.
    pub fn new(crate_dir: impl Into<PathBuf>, arch: Arch) -> Build {
        Build {
            crate_dir: crate_dir.into(),
            arch,
            opt_level: OptLevel::O3,
            features: Vec::new(),
            default_features: false,
            linker: LinkerChoice::PtxLink,
            rustflags: Vec::new(),
            crate_flags: Vec::new(),
            toolchain: None,
        }
    }

    /// Builds the crate's library and reads the PTX.
    pub fn run(&self) -> Result<Module> {
        let (output, _lock) = self.rustc(&[])?;
        let built = self.ptx_among_artifacts(&output)?;
        let text = fs::read_to_string(&built).with_context(|| format!("cannot read {}", built.display()))?;
        // The next build of a crate with this name overwrites the file, so the PTX is copied.
        let mut hasher = DefaultHasher::new();
        (&self.crate_dir, self.opt_level.name(), &self.linker, &self.crate_flags).hash(&mut hasher);
        (&self.features, self.default_features, &self.rustflags).hash(&mut hasher);
        let path = built.with_extension(format!("{:016x}.ptx", hasher.finish()));
        files::write(&path, &text)?;
        Ok(Module { path, text, warnings: String::from_utf8_lossy(&output.stderr).into_owned() })
    }

    /// Compiles the crate without linking. Returns the LLVM IR that rustc makes of the crate and of its dependencies, except
    /// `core`.
    pub fn ir(&self) -> Result<String> {
        let (output, _lock) = self.rustc(&["--crate-type", "lib"])?;
        let libraries = artifacts(&output)?.flat_map(|artifact| artifact.filenames);
        let is_of_device = |file: &Utf8PathBuf| {
            file.extension() == Some("rlib") && file.iter().any(|part| part == DEVICE_TARGET)
        };
        let scratch = tempfile::tempdir()?;
        let read = |library| {
            let path = scratch.path().join("library.ll");
            let mut link = Command::new(self.toolchain()?.tools_dir().join("llvm-link"));
            run(link.args(["--ignore-non-bitcode", "-S", "-o"]).arg(&path).arg(library))?;
            fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
        };
        // Each library is read separately. If two had an internal function of the same name, linking would rename one.
        libraries.filter(is_of_device).map(read).collect()
    }

    /// Runs `cargo rustc`. Returns the output, and the lock on the target folder.
    fn rustc(&self, arguments: &[&str]) -> Result<(Output, File)> {
        let (mut cargo, lock) = self.cargo("rustc")?;
        cargo.args(arguments);
        // The last level on rustc's command line counts.
        cargo.arg("--").arg(format!("-Copt-level={}", self.opt_level));
        cargo.args(self.linker_flag()?).args(&self.crate_flags);
        let output = run(&mut cargo).with_context(|| {
            format!(
                "cannot build {} for {} at opt-level {}",
                self.crate_dir.display(),
                self.arch,
                self.opt_level
            )
        })?;
        Ok((output, lock))
    }

    /// Runs clippy on the crate with the settings of this build. A warning is an error.
    pub fn clippy(&self) -> Result<()> {
        let (mut cargo, _lock) = self.cargo("clippy")?;
        run(cargo.args(["--", "-Dwarnings"]))
            .with_context(|| format!("clippy on {} for {}", self.crate_dir.display(), self.arch))?;
        Ok(())
    }

    /// Returns the flag for a linker other than `ptx-link`. The flag applies to the crate only, because dependencies are not
    /// linked.
    fn linker_flag(&self) -> Result<Option<String>> {
        let linker = match &self.linker {
            LinkerChoice::PtxLink => return Ok(None),
            LinkerChoice::PtxLinkNoMarks => ptx_link_without_marks(&self.toolchain()?)?,
            LinkerChoice::Custom(path) => path.clone(),
        };
        Ok(Some(format!("-Clinker={}", utf8(&linker)?)))
    }

    fn toolchain(&self) -> Result<Toolchain> {
        match &self.toolchain {
            Some(toolchain) => Ok(toolchain.clone()),
            None => Toolchain::active(),
        }
    }

    /// Returns the target folder of this build, one for each target. Cargo tells builds with other settings apart by hashes, and
    /// all builds for a target share the procedural macros. Two targets can be built at the same time.
    fn target_dir(&self, toolchain: &Toolchain) -> PathBuf {
        device_dir(toolchain).join(self.arch.name())
    }

    /// Returns a cargo command with the settings of this build, and the lock on the target folder.
    fn cargo(&self, subcommand: &str) -> Result<(Command, File)> {
        let toolchain = self.toolchain()?;
        let target_dir = self.target_dir(&toolchain);
        let mut flags = device_flags(&toolchain, self.arch)?;
        flags.push(format!("--sysroot={}", utf8(&sysroot(&toolchain)?)?));
        flags.extend(self.rustflags.iter().cloned());
        let features: Vec<_> =
            self.target_feature()?.into_iter().chain(self.features.iter().cloned()).collect();

        // At the repository root, cargo does not read the crate's own `.cargo/config.toml`, whose build-std would compile another
        // `core`.
        let mut cargo = toolchain.cargo();
        without_callers_settings(&mut cargo)
            .args([subcommand, "--quiet", "--release", "--lib", "--target", DEVICE_TARGET])
            .args(["--message-format", "json-render-diagnostics", "--features", &features.join(",")])
            .arg("--manifest-path")
            .arg(self.crate_dir.join("Cargo.toml"))
            .env("CARGO_TARGET_DIR", &target_dir)
            .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"))
            .env("CARGO_TARGET_NVPTX64_NVIDIA_CUDA_LINKER", ptx_link(&toolchain)?)
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", of_dependencies(self.opt_level).name())
            .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "1");
        if !self.default_features {
            cargo.arg("--no-default-features");
        }
        Ok((cargo, files::lock(&target_dir.join(".xtask-lock"))?))
    }

    /// Returns the feature for the target: the crate's own, or else that of `ptx`, if the crate depends on it.
    fn target_feature(&self) -> Result<Option<String>> {
        let path = root().join(&self.crate_dir).join("Cargo.toml");
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let manifest: toml::Table = text.parse().with_context(|| format!("in {}", path.display()))?;
        let names = |table: &str, name: &str| {
            manifest.get(table).and_then(toml::Value::as_table).is_some_and(|table| table.contains_key(name))
        };
        Ok(match self.arch.name() {
            arch if names("features", arch) => Some(arch.into()),
            arch if names("dependencies", "ptx") => Some(format!("ptx/{arch}")),
            _ => None,
        })
    }

    fn ptx_among_artifacts(&self, output: &Output) -> Result<PathBuf> {
        artifacts(output)?
            .flat_map(|artifact| artifact.filenames)
            .map(|file| file.into_std_path_buf())
            .find(|file| file.extension().is_some_and(|extension| extension == "ptx"))
            .with_context(|| {
                let manifest = self.crate_dir.join("Cargo.toml");
                format!(
                    "the build of {} produced no PTX: set `crate-type = [\"cdylib\"]` there",
                    manifest.display()
                )
            })
    }
}

/// Writes a device crate into a folder, with the repository's versions of dependencies: builds then share them with the
/// repository's device crates.
pub fn write_crate(folder: &Path, manifest: &str, source: &str) -> Result<()> {
    write_package(folder, manifest)?;
    files::write(&folder.join("src/lib.rs"), source)
}

/// Writes a package like [`write_crate`], with a manifest that says where the source code is.
pub fn write_package(folder: &Path, manifest: &str) -> Result<()> {
    let versions = fs::read(root().join("Cargo.lock")).context("cannot read Cargo.lock")?;
    files::write(&folder.join("Cargo.lock"), versions)?;
    files::write(&folder.join("Cargo.toml"), manifest)
}

/// Writes a device crate of this name that depends on `ptx` alone, with the targets' features, so that `cfg(feature = "sm_90a")` is
/// true in it as in `ptx`. Returns its folder. Crates of one name share the file of their PTX.
pub fn write_kernels(name: &str, source: &str) -> Result<PathBuf> {
    let folder = root().join("target/device").join(name);
    let feature = |arch: &Arch| {
        let contained: String = arch.contained().iter().map(|other| format!("\"{other}\", ")).collect();
        format!("{arch} = [{contained}\"ptx/{arch}\"]\n")
    };
    let features: String = Arch::ALL.iter().map(feature).collect();
    let manifest = format!(
        "[package]\nname = {name:?}\nedition = \"2024\"\n[lib]\ncrate-type = [\"cdylib\"]\n[workspace]\n\
         [dependencies]\nptx = {{ path = {:?}, default-features = false }}\n[features]\n{features}",
        root()
    );
    write_crate(&folder, &manifest, source)?;
    Ok(folder)
}

fn artifacts(output: &Output) -> Result<impl Iterator<Item = cargo_metadata::Artifact>> {
    let messages: Vec<Message> = Message::parse_stream(Cursor::new(&output.stdout))
        .collect::<Result<_, _>>()
        .context("cannot read cargo's messages")?;
    Ok(messages.into_iter().filter_map(|message| match message {
        Message::CompilerArtifact(artifact) => Some(artifact),
        _ => None,
    }))
}

/// Returns the flags of every device build of this repository: those that every kernel needs, and the one for the shared `core`.
pub fn device_flags(toolchain: &Toolchain, arch: Arch) -> Result<Vec<String>> {
    let mut flags: Vec<String> = ptx_build::device_flags(arch).into();
    if accepts_one_core(toolchain)? {
        flags.push(ONE_CORE_FOR_ALL_TARGETS.into());
    }
    Ok(flags)
}

/// Returns the opt-level for the dependencies of a crate: one level for all levels at which rustc runs the same MIR passes. MIR
/// inlining runs at levels 2 and 3, no pass at level 0. LLVM runs after the link. (cargo's `profile.release.package."*"` would
/// optimize the procedural macros and build scripts too, which takes ten times as long as to compile and run them unoptimized.)
fn of_dependencies(level: OptLevel) -> OptLevel {
    match level {
        OptLevel::O0 => OptLevel::O0,
        OptLevel::O1 | OptLevel::Os | OptLevel::Oz => OptLevel::O1,
        OptLevel::O2 | OptLevel::O3 => OptLevel::O3,
    }
}

/// The flag for one `core` for all targets. PTX has one calling convention, but a compiler that counts `target-cpu` as part of
/// the ABI refuses the shared `core` without this flag. Compilers up to 1.96 do not count `target-cpu`, and refuse the flag.
const ONE_CORE_FOR_ALL_TARGETS: &str = "-Cunsafe-allow-abi-mismatch=target-cpu";

/// Returns true if the compiler accepts [`ONE_CORE_FOR_ALL_TARGETS`]. A process asks the compiler once.
fn accepts_one_core(toolchain: &Toolchain) -> Result<bool> {
    static ACCEPTS: Made<bool> = Mutex::new(BTreeMap::new());
    once(&ACCEPTS, toolchain, || {
        let scratch = tempfile::tempdir()?;
        let source = scratch.path().join("empty.rs");
        fs::write(&source, "#![feature(no_core)]\n#![no_core]\n")?;
        let mut rustc = toolchain.rustc();
        rustc.args(["--crate-type", "lib", "--emit", "metadata", "--target", DEVICE_TARGET]);
        rustc.arg(ONE_CORE_FOR_ALL_TARGETS).arg("--out-dir").arg(scratch.path()).arg(&source);
        Ok(rustc.output().context("cannot run rustc")?.status.success())
    })
}

/// Returns the folder of all device builds with a toolchain.
fn device_dir(toolchain: &Toolchain) -> PathBuf {
    root().join("target/device").join(toolchain.name())
}

fn utf8(path: &Path) -> Result<&str> {
    path.to_str().with_context(|| format!("{} is not UTF-8", path.display()))
}

/// The things that a process has made, by the name of the toolchain.
type Made<T> = Mutex<BTreeMap<String, Arc<Mutex<Option<T>>>>>;

/// Makes a thing once per process and toolchain. Concurrent callers with the same toolchain wait for the first. After a failure,
/// the next caller tries again.
fn once<T: Clone>(made: &Made<T>, toolchain: &Toolchain, make: impl FnOnce() -> Result<T>) -> Result<T> {
    let mut slots = made.lock().unwrap_or_else(PoisonError::into_inner);
    let slot = Arc::clone(slots.entry(toolchain.name().to_owned()).or_default());
    drop(slots);
    let mut thing = slot.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(thing) = &*thing {
        return Ok(thing.clone());
    }
    Ok(thing.insert(make()?).clone())
}

/// Returns the sysroot with `core` for the device. Builds `core` if the sysroot is missing, or of another compiler or other
/// flags.
pub fn sysroot(toolchain: &Toolchain) -> Result<PathBuf> {
    static SYSROOTS: Made<PathBuf> = Mutex::new(BTreeMap::new());
    once(&SYSROOTS, toolchain, || build_sysroot(toolchain))
}

fn build_sysroot(toolchain: &Toolchain) -> Result<PathBuf> {
    let folder = device_dir(toolchain).join("core");
    let _lock = files::lock(&folder.with_extension("lock"))?;
    let flags = ptx_build::device_flags(Arch::Sm90a);
    let made_of = format!("{}{}", toolchain.version(), flags.join(" "));
    if fs::read_to_string(folder.join("stamp")).is_ok_and(|stamp| stamp == made_of) {
        return Ok(folder);
    }
    let target_dir = projects_dir().join(toolchain.name());
    let empty = target_dir.join("empty");
    let manifest = "[package]\nname = \"empty\"\nedition = \"2024\"\n[lib]\n[workspace]\n";
    files::write(&empty.join("Cargo.toml"), manifest)?;
    files::write(&empty.join("src/lib.rs"), "#![no_std]\n")?;
    let mut cargo = ptx_build::device_cargo(toolchain, "build", &flags, OptLevel::O3, &target_dir);
    cargo.current_dir(&empty).args(["--quiet", "--message-format", "json-render-diagnostics"]);
    // Nothing is linked. But cargo counts the linker among the settings of `core`, and the tests' projects use this linker.
    cargo.env("CARGO_TARGET_NVPTX64_NVIDIA_CUDA_LINKER", toolchain.target_dir().join("debug/ptx-link"));
    let what = format!("building core for {DEVICE_TARGET} (once for {})", toolchain.name());
    let output = progress::step(&what, || run(&mut cargo)).with_context(|| {
        format!("cannot build core for {DEVICE_TARGET} from {}", toolchain.library().display())
    })?;

    // Only a complete folder gets its final name.
    let staging = device_dir(toolchain).join("core.new");
    let libraries = staging.join("lib/rustlib").join(DEVICE_TARGET).join("lib");
    remove_folder(&staging)?;
    for file in artifacts(&output)?.flat_map(|artifact| artifact.filenames) {
        let name = file.file_name().context("an artifact is a file")?;
        if name.starts_with("lib") && !name.starts_with("libempty") {
            let library = fs::read(&file).with_context(|| format!("cannot read {file}"))?;
            files::write(&libraries.join(name), library)?;
        }
    }
    files::write(&staging.join("stamp"), made_of)?;
    remove_folder(&folder)?;
    fs::rename(&staging, &folder).with_context(|| format!("cannot write {}", folder.display()))?;
    Ok(folder)
}

fn remove_folder(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", folder.display()))
        }
        _ => Ok(()),
    }
}

/// Returns the folder for `PTX_TARGET_DIR`: projects that build their kernels there find the `core` of this repository's builds.
pub fn projects_dir() -> PathBuf {
    root().join("target/device/projects")
}

/// Returns the linker. Builds the linker if it is missing or out of date, with the profile `dev`, which optimizes the linker but
/// not the crates that it shares with the tests.
pub fn ptx_link(toolchain: &Toolchain) -> Result<PathBuf> {
    static LINKERS: Made<PathBuf> = Mutex::new(BTreeMap::new());
    once(&LINKERS, toolchain, || {
        workspace_program(toolchain, "ptx-link", "dev").context("cannot build the linker")
    })
}

/// Builds a program of the workspace, with the features that the tests give the dependencies, so that the dependencies are
/// compiled once. Returns the path of its executable.
pub fn workspace_program(toolchain: &Toolchain, program: &str, profile: &str) -> Result<PathBuf> {
    let mut cargo = toolchain.cargo();
    without_callers_settings(&mut cargo)
        .args(["build", "--workspace", "--quiet", "--bin", program, "--profile", profile])
        .args(["--message-format", "json-render-diagnostics"]);
    let output = progress::step(&format!("building {program}"), || run(&mut cargo))?;
    let executable = artifacts(&output)?.find_map(|artifact| artifact.executable);
    Ok(executable.with_context(|| format!("cargo built no program {program}"))?.into_std_path_buf())
}

/// Builds the shared library of a package of the workspace, and returns its path. With the profile `dev`, the dependencies have the
/// features that the tests give them, so that they are compiled once; the tests compile none with another profile.
pub fn workspace_library(toolchain: &Toolchain, package: &str, profile: &str) -> Result<PathBuf> {
    let mut cargo = toolchain.cargo();
    without_callers_settings(&mut cargo).args(["build", "--quiet", "--lib", "--profile", profile]);
    match profile {
        "dev" => cargo.arg("--workspace"),
        _ => cargo.args(["--package", package]),
    };
    cargo.args(["--message-format", "json-render-diagnostics"]);
    let output = progress::step(&format!("building {package}"), || run(&mut cargo))?;
    let is_shared = |file: &Utf8PathBuf| file.extension() == Some("so");
    let of_package = |artifact: &cargo_metadata::Artifact| {
        artifact.target.is_cdylib() && artifact.target.name == package.replace('-', "_")
    };
    let library = artifacts(&output)?
        .find(of_package)
        .and_then(|artifact| artifact.filenames.into_iter().find(is_shared));
    Ok(library.with_context(|| format!("cargo built no shared library of {package}"))?.into_std_path_buf())
}

/// Returns a wrapper that runs `ptx-link --no-marks`. Its name is `ptx-link`, because `build.rs` of `ptx` checks the name.
fn ptx_link_without_marks(toolchain: &Toolchain) -> Result<PathBuf> {
    let linker = ptx_link(toolchain)?;
    let quoted = utf8(&linker)?;
    ensure!(
        !quoted.contains('\''),
        "the path {quoted} contains a quote, which the linker's wrapper script cannot contain: move the repository"
    );
    let wrapper = device_dir(toolchain).join("no-marks/ptx-link");
    let _lock = files::lock(&wrapper.with_extension("lock"))?;
    files::write_executable(&wrapper, format!("#!/bin/sh\nexec '{quoted}' --no-marks \"$@\"\n"))?;
    Ok(wrapper)
}
