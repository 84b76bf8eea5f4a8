//! Builds kernels of `ptx` from the build script of a host crate.
//!
//! ```no_run
//! // in `main` of build.rs:
//! ptx_build::kernels("../kernels").arch(["sm_90a", "sm_100a"]).build();
//! ```
//!
//! [`Kernels::build`] compiles the crate in `../kernels` once for each target and writes `ptx_kernels.rs` into `OUT_DIR`, with
//! the images of all targets. The host crate loads the image that suits its GPU, and launches kernels by their types:
//!
//! ```ignore
//! let kernels = ptx_host::kernels!().load(&context)?;
//! let axpy = kernels.kernel(my_kernels::axpy)?;
//! ```
//!
//! Without `ptx-host`, `include!(concat!(env!("OUT_DIR"), "/ptx_kernels.rs"))` defines `IMAGES: &[(&str, &[u8])]`: targets with
//! their images.
//!
//! # What the kernels' crate needs
//!
//! The crate is a library that depends on `ptx`, and needs no crate type, no feature and no `.cargo/config.toml`.
//! [`Kernels::build`] passes the flags, the linker and the feature `ptx/sm_…` of each target. A crate whose code differs between
//! targets declares features of the targets' names itself (`sm_100a = ["ptx/sm_100a"]`), and then gets those features.
//!
//! The host crate may use any compiler. The kernels are compiled by the toolchain that `rust-toolchain.toml` in their folder
//! names, else by [`toolchain::NIGHTLY`]. The variable `PTX_TOOLCHAIN` overrides both: a name of rustup's, or `debian`.
//!
//! # When the kernels are built again
//!
//! The kernels are built again when a source file, a manifest, the lock file, a file of cargo's configuration or the linker has
//! changed. `core`, `ptx` and other dependencies stay built, in a target folder under `OUT_DIR`, or in the folder that the
//! variable `PTX_TARGET_DIR` names, which several projects can share. Variables of the caller such as `RUSTFLAGS`,
//! `CARGO_TARGET_DIR` and `RUSTC_WRAPPER` have no effect on the kernels.

mod advice;
pub mod cargo;
pub mod files;
pub mod linker;
mod opt_level;
pub mod process;
pub mod ptxas;
pub mod toolchain;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};
use std::{env, fmt, fs};

use anyhow::Context;
pub use opt_level::OptLevel;
pub use ptx_targets::Arch;

use crate::cargo::{Manifest, Messages};
use crate::ptxas::{AssembleReport, Ptxas};
use crate::toolchain::{DEVICE_TARGET, Toolchain, without_callers_settings};

/// The variable that names a target folder for the kernels.
const TARGET_DIR: &str = "PTX_TARGET_DIR";

/// The folder for temporary files, in the target folder for kernels. rustc and the linker leave theirs when they are interrupted;
/// the next build removes the folder.
const SCRATCH: &str = ".ptx-build-tmp";

/// Returns the rustc flags that each device build needs: rustc runs no LLVM pass before `ptx-link` has marked convergence, and no
/// MIR pass that copies or merges blocks.
pub fn device_flags(arch: Arch) -> [String; 3] {
    [
        format!("-Ctarget-cpu={arch}"),
        "-Cno-prepopulate-passes".into(),
        "-Zmir-enable-passes=-JumpThreading,-MatchBranchSimplification".into(),
    ]
}

/// Returns a cargo command that compiles for the device with these flags, without the caller's settings. cargo compiles one
/// `core` in a target folder for all commands with the same flags and opt-level.
#[doc(hidden)]
pub fn device_cargo(
    toolchain: &Toolchain,
    subcommand: &str,
    flags: &[String],
    opt_level: OptLevel,
    target_dir: &Path,
) -> Command {
    let mut cargo = toolchain.command("cargo");
    cargo
        .args([subcommand, "--release", "--lib", "--target", DEVICE_TARGET, "-Zbuild-std=core"])
        .env("CARGO_TARGET_DIR", target_dir)
        .env("CARGO_BUILD_BUILD_DIR", target_dir)
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"))
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", opt_level.name())
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "1")
        .env("CARGO_PROFILE_RELEASE_INCREMENTAL", "false")
        // `ptx-link` optimizes across crates.
        .env("CARGO_PROFILE_RELEASE_LTO", "off");
    without_callers_settings(&mut cargo);
    cargo
}

/// Begins a build of the device crate in a folder. A relative path begins in the current folder, which is the
/// package's folder in a build script.
pub fn kernels(folder: impl Into<PathBuf>) -> Kernels {
    Kernels {
        folder: folder.into(),
        archs: Vec::new(),
        opt_level: OptLevel::O3,
        features: Vec::new(),
        rustflags: Vec::new(),
        line_tables: false,
        cubin: false,
        progress: false,
        name: "ptx_kernels".into(),
        out_dir: None,
        linker: None,
    }
}

/// A build of a device crate: [`kernels`] begins one.
#[derive(Clone, Debug)]
#[must_use = "`build` builds the kernels"]
pub struct Kernels {
    folder: PathBuf,
    archs: Vec<String>,
    opt_level: OptLevel,
    features: Vec<String>,
    rustflags: Vec<String>,
    line_tables: bool,
    cubin: bool,
    progress: bool,
    name: String,
    out_dir: Option<PathBuf>,
    linker: Option<PathBuf>,
}

/// The results of a build.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Output {
    /// The images, in the order of the targets.
    pub images: Vec<Image>,
    /// The generated Rust file, which defines `IMAGES`.
    pub rust_file: PathBuf,
    /// The warnings of rustc and the linker: `file:line:column: text`.
    pub warnings: Vec<String>,
    /// The files that the build has read: sources, manifests, configuration, the linker.
    pub inputs: Vec<PathBuf>,
}

/// The kernels for one target.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Image {
    /// The target.
    pub arch: Arch,
    /// The PTX file.
    pub ptx: PathBuf,
    /// The cubin, if [`Kernels::cubin`] asks for one and there is a ptxas.
    pub cubin: Option<PathBuf>,
    /// ptxas's report on the kernels of the cubin.
    pub report: Option<AssembleReport>,
}

/// The reason why a build failed, and what to do about the failure.
#[derive(Debug)]
pub struct Error {
    message: String,
    compiler: String,
}

impl Error {
    /// Returns the output of rustc, the linker and cargo; empty if none of them ran.
    pub fn compiler_output(&self) -> &str {
        &self.compiler
    }

    /// Returns the error without the compiler's output.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        match self.compiler.is_empty() {
            true => write!(formatter, "{}", self.message),
            false => write!(formatter, "{}\n{}", self.message, self.compiler.trim_end()),
        }
    }
}

impl std::error::Error for Error {}

impl From<anyhow::Error> for Error {
    fn from(error: anyhow::Error) -> Error {
        Error { message: format!("{error:#}"), compiler: String::new() }
    }
}

impl Kernels {
    /// Sets the targets, such as `sm_90a`. The default is `sm_90a` alone.
    pub fn arch<T: AsRef<str>>(mut self, targets: impl IntoIterator<Item = T>) -> Kernels {
        self.archs = targets.into_iter().map(|target| target.as_ref().to_owned()).collect();
        self
    }

    /// Sets the opt-level. The default is 3.
    pub fn opt_level(mut self, level: OptLevel) -> Kernels {
        self.opt_level = level;
        self
    }

    /// Enables features of the device crate, besides the target's.
    pub fn features<T: AsRef<str>>(mut self, features: impl IntoIterator<Item = T>) -> Kernels {
        self.features.extend(features.into_iter().map(|feature| feature.as_ref().to_owned()));
        self
    }

    /// Adds flags for rustc, for the device crate and its dependencies.
    pub fn rustflags<T: AsRef<str>>(mut self, flags: impl IntoIterator<Item = T>) -> Kernels {
        self.rustflags.extend(flags.into_iter().map(|flag| flag.as_ref().to_owned()));
        self
    }

    /// Adds line numbers (`.loc`), by which profilers and `cargo ptx asm` find the source of an instruction.
    pub fn line_tables(mut self, on: bool) -> Kernels {
        self.line_tables = on;
        self
    }

    /// Assembles the PTX of each target into a cubin as well, if a ptxas is installed: the program then starts without the
    /// driver's compiler. `IMAGES` has the cubin of a target before its PTX.
    pub fn cubin(mut self, on: bool) -> Kernels {
        self.cubin = on;
        self
    }

    /// Lets cargo print its progress and its errors to stderr. [`Error::compiler_output`] then has rustc's errors alone.
    pub fn progress(mut self, on: bool) -> Kernels {
        self.progress = on;
        self
    }

    /// Sets the name of the generated file. The default is `ptx_kernels`. A build script that builds two device crates gives
    /// each a name.
    pub fn name(mut self, name: impl Into<String>) -> Kernels {
        self.name = name.into();
        self
    }

    /// Sets the folder for all results. The default is the folder that the variable `OUT_DIR` names.
    pub fn out_dir(mut self, folder: impl Into<PathBuf>) -> Kernels {
        self.out_dir = Some(folder.into());
        self
    }

    /// Sets the path of `ptx-link`. The default is the path in the variable `PTX_LINK`, else the program in cargo's folder `bin`,
    /// else the program on `PATH`.
    pub fn linker(mut self, linker: impl Into<PathBuf>) -> Kernels {
        self.linker = Some(linker.into());
        self
    }

    /// Builds the kernels as part of a build script. Prints warnings and errors for cargo, and ends the process with code 1 after
    /// an error.
    ///
    /// ```no_run
    /// // in `main` of build.rs:
    /// ptx_build::kernels("../kernels").arch(["sm_90a"]).cubin(true).build();
    /// ```
    pub fn build(self) {
        match self.try_build() {
            Ok(output) => print!("{}", directives(&output)),
            Err(error) => {
                for line in error.message.lines().filter(|line| !line.trim().is_empty()) {
                    println!("cargo::error={line}");
                }
                eprintln!("{}", error.compiler.trim_end());
                std::process::exit(1);
            }
        }
    }

    /// Builds the kernels, and prints nothing but what [`Kernels::progress`] asks for.
    ///
    /// ```no_run
    /// let built = ptx_build::kernels("kernels").arch(["sm_90a"]).out_dir("target/kernels").try_build()?;
    /// println!("{}", built.images[0].ptx.display());
    /// # Ok::<(), ptx_build::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the toolchain or the linker is missing, or the kernels do not compile.
    pub fn try_build(&self) -> Result<Output, Error> {
        let begun = SystemTime::now();
        let archs = self.targets()?;
        let folder = fs::canonicalize(&self.folder)
            .with_context(|| format!("there is no folder {} with kernels", self.folder.display()))?;
        let toolchain = Toolchain::for_crate(&folder)?;
        let linker = linker::find(self.linker.as_deref())?;
        let manifest = Manifest::read(&toolchain, &folder)?;
        let out_dir = self.out_dir.clone().or_else(|| env::var_os("OUT_DIR").map(PathBuf::from));
        let out_dir =
            out_dir.context("OUT_DIR is not set: call `build` in a build script, or set `out_dir`")?;
        let out_dir = std::path::absolute(out_dir).map_err(anyhow::Error::from)?;
        let ptxas = if self.cubin { Ptxas::find()? } else { None };

        let setup = Setup {
            kernels: self,
            folder: &folder,
            toolchain: &toolchain,
            linker: &linker,
            manifest: &manifest,
        };
        let shared = env::var_os(TARGET_DIR).map(PathBuf::from);
        let target_dir = shared.unwrap_or_else(|| out_dir.join("device")).join(toolchain.name());
        // cargo runs in the folder of the kernels.
        let target_dir = std::path::absolute(target_dir).map_err(anyhow::Error::from)?;
        let _lock = files::lock(&target_dir.join(".ptx-build-lock"))?;
        let _scratch = files::Scratch::new(target_dir.join(SCRATCH))?;
        let mut built = Built::default();
        for arch in archs {
            setup.build(arch, &target_dir, &out_dir.join(&self.name), ptxas.as_ref(), &mut built)?;
        }
        age_lock_file(&manifest, begun)?;
        let rust_file = out_dir.join(&self.name).with_extension("rs");
        files::write(&rust_file, rust_source(&self.name, &built.images))?;
        built.inputs.extend(setup.configuration());
        // What the build itself has made is newer than its begin: cargo would run the build script again.
        built.inputs.retain(|file| !file.starts_with(&target_dir) && file.exists());
        Ok(Output {
            images: built.images,
            rust_file,
            warnings: built.warnings,
            inputs: built.inputs.into_iter().collect(),
        })
    }

    fn targets(&self) -> anyhow::Result<Vec<Arch>> {
        if self.archs.is_empty() {
            return Ok(vec![Arch::Sm90a]);
        }
        let mut archs = Vec::new();
        for arch in self.archs.iter().map(|name| name.parse()) {
            let arch = arch?;
            if !archs.contains(&arch) {
                archs.push(arch);
            }
        }
        Ok(archs)
    }
}

/// A build, with the folder, the toolchain, the linker and the manifest that were found for it.
struct Setup<'a> {
    kernels: &'a Kernels,
    folder: &'a Path,
    toolchain: &'a Toolchain,
    linker: &'a Path,
    manifest: &'a Manifest,
}

#[derive(Default)]
struct Built {
    images: Vec<Image>,
    warnings: Vec<String>,
    inputs: BTreeSet<PathBuf>,
}

impl Setup<'_> {
    fn build(
        &self,
        arch: Arch,
        target_dir: &Path,
        images: &Path,
        ptxas: Option<&Ptxas>,
        built: &mut Built,
    ) -> Result<(), Error> {
        let mut cargo = self.cargo(arch, target_dir);
        let output = cargo.output().with_context(|| format!("cannot run {}", process::shown(&cargo)))?;
        let messages = Messages::parse(&output.stdout);
        let stderr = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            return Err(Error {
                message: format!("cannot build the kernels of {} for {arch}", self.manifest.path.display()),
                compiler: messages.errors.join("\n") + &stderr,
            });
        }
        let made = messages
            .ptx
            .with_context(|| format!("cargo made no PTX of {}\n{stderr}", self.manifest.path.display()))?;
        // Equal warnings of two targets are reported once.
        for warning in messages.warnings {
            if !built.warnings.contains(&warning) {
                built.warnings.push(warning);
            }
        }
        built.inputs.extend(cargo::dep_info(&made.with_extension("d"))?);
        built.inputs.extend(messages.manifests);
        let ptx = images.join(format!("{arch}.ptx"));
        let text = fs::read(&made).with_context(|| format!("cannot read {}", made.display()))?;
        files::write(&ptx, text)?;
        let mut image = Image { arch, ptx, cubin: None, report: None };
        if let Some(ptxas) = ptxas {
            let cubin = image.ptx.with_extension("cubin");
            image.report = Some(ptxas.assemble(&image.ptx, arch, &cubin, self.kernels.line_tables)?);
            image.cubin = Some(cubin);
        }
        built.images.push(image);
        Ok(())
    }

    /// Returns the cargo command for a target. The flags that follow `--` are the device crate's alone, so that builds with and
    /// without line tables share its dependencies.
    fn cargo(&self, arch: Arch, target_dir: &Path) -> Command {
        let kernels = self.kernels;
        let flags: Vec<_> = device_flags(arch).into_iter().chain(kernels.rustflags.iter().cloned()).collect();
        let mut cargo = device_cargo(self.toolchain, "rustc", &flags, kernels.opt_level, target_dir);
        cargo
            .current_dir(self.folder)
            .args(["--crate-type", "cdylib", "--message-format", "json", "--manifest-path"])
            .arg(&self.manifest.path)
            .args(self.manifest.feature_arguments(arch, &kernels.features))
            .env("CARGO_TARGET_NVPTX64_NVIDIA_CUDA_LINKER", self.linker)
            .env("TMPDIR", target_dir.join(SCRATCH));
        if kernels.progress {
            cargo.stderr(Stdio::inherit());
        } else {
            cargo.arg("--quiet");
        }
        // cargo does not watch the linker. This flag, which nothing reads, makes cargo link again if the linker changes.
        cargo.args(["--", "--cfg", &format!("ptx_link=\"{}\"", stamp(self.linker))]);
        if kernels.line_tables {
            // Without debug information in the profile, cargo asks the linker to strip it.
            cargo.args(["-Cdebuginfo=line-tables-only", "-Cstrip=none"]);
        }
        cargo
    }

    /// Returns the files that the build reads besides sources.
    fn configuration(&self) -> Vec<PathBuf> {
        let workspace = &self.manifest.workspace;
        let mut files = vec![
            self.linker.to_path_buf(),
            self.manifest.path.clone(),
            workspace.join("Cargo.toml"),
            workspace.join("Cargo.lock"),
        ];
        files.extend(["rust-toolchain", "rust-toolchain.toml"].map(|name| self.folder.join(name)));
        for folder in self.folder.ancestors() {
            files.extend(["config", "config.toml"].map(|name| folder.join(".cargo").join(name)));
        }
        files
    }
}

/// Gives a lock file that the build has written the age of the manifest: cargo runs a build script again if an input is newer
/// than the script's start.
fn age_lock_file(manifest: &Manifest, begun: SystemTime) -> anyhow::Result<()> {
    let lock = manifest.workspace.join("Cargo.lock");
    let changed = |file: &Path| fs::metadata(file).and_then(|metadata| metadata.modified());
    if changed(&lock).is_ok_and(|time| time >= begun) {
        let age = changed(&manifest.path)?;
        fs::File::options().append(true).open(&lock)?.set_modified(age)?;
    }
    Ok(())
}

/// Returns the time of a file's last change, which tells two linkers apart.
fn stamp(file: &Path) -> u128 {
    let changed =
        fs::metadata(file).and_then(|metadata| metadata.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    changed.duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos())
}

/// Returns the generated Rust file. Its paths are relative to its own folder.
fn rust_source(name: &str, images: &[Image]) -> String {
    let (mut lines, mut said) = (String::new(), Vec::new());
    for image in images {
        let files = image.cubin.iter().chain([&image.ptx]);
        for file in files.filter_map(|file| file.file_name()) {
            let (target, path) = (image.arch.name(), format!("{name}/{}", file.display()));
            lines += &format!("    ({target:?}, ::core::include_bytes!({path:?})),\n");
            said.push(format!("{target:?}: {path:?}"));
        }
    }
    let said = said.join(", ");
    format!(
        "/// The kernels as images for the driver, each with its target. Of a target with two images, the cubin is the first.\n\
         #[allow(dead_code)]\n\
         pub static IMAGES: &[(&str, &[u8])] = &[\n{lines}];\n\n\
         /// `ptx-link` has made these images, on which safe launches rely. Another file does not have this word by itself, and\n\
         /// cannot give it to other images. `kernels!` of `ptx-host` and `ptx-emu` reads it.\n\
         #[allow(unused_macros)]\n\
         macro_rules! made_by_ptx_link {{\n    \
         ([$($say:tt)*]) => {{ $($say)*! {{ unsafe(made_by_ptx_link) {said} }} }};\n\
         }}\n\
         #[allow(unused_imports)]\n\
         pub(crate) use made_by_ptx_link;\n"
    )
}

/// Returns what a build script prints for cargo.
fn directives(output: &Output) -> String {
    let inputs = output.inputs.iter().map(|file| format!("cargo::rerun-if-changed={}\n", file.display()));
    let variables = ["PTX_LINK", "PTX_TOOLCHAIN", TARGET_DIR, "CUDA_HOME", "CUDA_PATH"];
    let variables = variables.iter().map(|name| format!("cargo::rerun-if-env-changed={name}\n"));
    let warnings = output.warnings.iter().flat_map(|warning| warning.lines());
    let warnings =
        warnings.filter(|line| !line.trim().is_empty()).map(|line| format!("cargo::warning={line}\n"));
    inputs.chain(variables).chain(warnings).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(arch: Arch, cubin: bool) -> Image {
        let ptx = PathBuf::from(format!("/out/ptx_kernels/{arch}.ptx"));
        Image { arch, cubin: cubin.then(|| ptx.with_extension("cubin")), ptx, report: None }
    }

    #[test]
    fn the_rust_file_names_each_image_with_its_target() {
        let source = rust_source("ptx_kernels", &[image(Arch::Sm90a, true), image(Arch::Sm100a, false)]);
        let word = "    ([$($say:tt)*]) => { $($say)*! { unsafe(made_by_ptx_link) \"sm_90a\": \"ptx_kernels/sm_90a.cubin\", \
                    \"sm_90a\": \"ptx_kernels/sm_90a.ptx\", \"sm_100a\": \"ptx_kernels/sm_100a.ptx\" } };";
        assert!(source.lines().any(|line| line == word), "{source}");
        let lines: Vec<_> = source.lines().filter(|line| line.contains("include_bytes")).collect();
        assert_eq!(
            lines,
            [
                "    (\"sm_90a\", ::core::include_bytes!(\"ptx_kernels/sm_90a.cubin\")),",
                "    (\"sm_90a\", ::core::include_bytes!(\"ptx_kernels/sm_90a.ptx\")),",
                "    (\"sm_100a\", ::core::include_bytes!(\"ptx_kernels/sm_100a.ptx\")),",
            ]
        );
    }

    #[test]
    fn cargo_hears_of_inputs_and_of_warnings_line_by_line() {
        let output = Output {
            images: Vec::new(),
            rust_file: PathBuf::new(),
            warnings: vec!["src/lib.rs:3:5: unused\n\n  way: f".into()],
            inputs: vec!["/w/src/lib.rs".into()],
        };
        let directives = directives(&output);
        assert!(directives.starts_with("cargo::rerun-if-changed=/w/src/lib.rs\n"), "{directives}");
        assert!(directives.contains("cargo::rerun-if-env-changed=PTX_LINK\n"), "{directives}");
        assert!(
            directives.ends_with("cargo::warning=src/lib.rs:3:5: unused\ncargo::warning=  way: f\n"),
            "{directives}"
        );
    }

    #[test]
    fn targets_are_checked_before_anything_is_built() {
        assert_eq!(kernels(".").targets().unwrap(), [Arch::Sm90a]);
        let twice = kernels(".").arch(["sm_100a", "sm_90a", "sm_100a"]);
        assert_eq!(twice.targets().unwrap(), [Arch::Sm100a, Arch::Sm90a]);
        let error = kernels("/nowhere").arch(["sm_89"]).try_build().unwrap_err();
        assert!(error.message().contains("unknown target `sm_89`"), "{error}");
        let error = kernels("/nowhere").try_build().unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no folder /nowhere with kernels: No such file or directory (os error 2)"
        );
    }
}
