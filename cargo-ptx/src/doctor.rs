//! `cargo ptx doctor`.

use std::fmt;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::Result;
use ptx_build::linker;
use ptx_build::ptxas::{OLDEST, Ptxas};
use ptx_build::toolchain::Toolchain;

use crate::project::Crate;

/// Lists what kernels need, found or missing, with the command that mends what is missing
///
/// Ends with 0 if this machine can build kernels and host programs. ptxas, a driver and a GPU are not needed for that.
#[derive(clap::Args)]
pub struct Options {}

/// A thing that a machine has or lacks.
struct Finding {
    what: &'static str,
    /// True if no kernel, or no host program, can be built without the thing.
    needed: bool,
    /// A description of the thing that was found, or of the missing thing and its remedy.
    state: Result<String, String>,
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let (mark, text) = match (&self.state, self.needed) {
            (Ok(text), _) => ("ok", text),
            (Err(text), true) => ("MISSING", text),
            (Err(text), false) => ("none", text),
        };
        write!(formatter, "{:<11} {mark:<8} {text}", self.what)
    }
}

pub fn run(_: &Options) -> Result<ExitCode> {
    let findings = [host_compiler(), toolchain(), the_linker(), ptxas(), driver(), gpu()];
    for finding in &findings {
        println!("{finding}");
    }
    let missing: Vec<_> = findings.iter().filter(|f| f.needed && f.state.is_err()).map(|f| f.what).collect();
    println!("{}", verdict(&missing));
    Ok(if missing.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns what can be built without the things that are missing.
fn verdict(missing: &[&str]) -> &'static str {
    match missing {
        [] => "kernels and host programs can be built here",
        [HOST] => "kernels can be built here, and no host program yet",
        _ => "no kernel can be built here yet",
    }
}

const HOST: &str = "host rustc";

/// Checks the compiler of host programs in this folder.
fn host_compiler() -> Finding {
    let output = Command::new("rustc").arg("--version").env("RUSTUP_AUTO_INSTALL", "0").output();
    let state = match output {
        Ok(output) if output.status.success() => {
            check_host_compiler(String::from_utf8_lossy(&output.stdout).trim())
        }
        Ok(output) => Err(failed_host_compiler(&String::from_utf8_lossy(&output.stderr))),
        Err(error) => Err(absent_host_compiler(&error)),
    };
    Finding { what: HOST, needed: true, state }
}

/// Says why `rustc` cannot be run.
fn absent_host_compiler(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no `rustc` on PATH: install Rust from https://rustup.rs".into(),
        _ => format!("cannot run `rustc`: {error}"),
    }
}

/// Says what `rustc --version` says when it fails, such as rustup's proxy for a toolchain that is not installed, which names the
/// toolchain and the command that installs it.
fn failed_host_compiler(said: &str) -> String {
    let said: Vec<_> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    format!("`rustc --version` fails in this folder: {}", said.join("; "))
}

/// Checks the line that `rustc --version` prints.
fn check_host_compiler(text: &str) -> Result<String, String> {
    const OLDEST: &str = env!("CARGO_PKG_RUST_VERSION");
    let release = |version: &str| -> Option<(u32, u32)> {
        let mut numbers = version.split(['.', '-']).map(str::parse);
        Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
    };
    match text.split_whitespace().nth(1).and_then(release) {
        Some(found) if Some(found) >= release(OLDEST) => Ok(text.to_owned()),
        Some(_) => Err(format!("{text}: host programs need {OLDEST}: run `rustup update stable`")),
        None => Err(format!(
            "`rustc --version` answers {text:?}, which is no version: install Rust from https://rustup.rs"
        )),
    }
}

/// Checks the compiler with the source of `core` and LLVM's tools: that of the kernels here, else the one for a new project.
fn toolchain() -> Finding {
    let folder = Crate::default().find().map_or_else(|_| PathBuf::from("."), |project| project.folder);
    let found = Toolchain::for_crate(&folder);
    let state = found.map(|toolchain| {
        let version = toolchain.version().lines().next().unwrap_or_default();
        format!("{} ({version}) with the source of core, and LLVM's tools", toolchain.name())
    });
    Finding { what: "toolchain", needed: true, state: state.map_err(|error| format!("{error:#}")) }
}

fn the_linker() -> Finding {
    // Finds the linker as `ptx_build` does by default.
    let state = linker::find(None).map(|path| format!("ptx-link {}: {}", linker::VERSION, path.display()));
    Finding { what: "linker", needed: true, state: state.map_err(|error| format!("{error:#}")) }
}

fn ptxas() -> Finding {
    let state = match Ptxas::find() {
        Ok(Some(ptxas)) => Ok(format!("{}: {}", ptxas.version(), ptxas.program("ptxas").display())),
        Ok(None) => Err(format!(
            "no figures of registers and spills, no SASS: install CUDA {OLDEST} or newer and set CUDA_HOME, or run \
             `pip install nvidia-cuda-nvcc nvidia-cuda-nvdisasm` and set CUDA_HOME to the folder nvidia/cu13 in site-packages"
        )),
        Err(error) => Err(format!("{error:#}")),
    };
    Finding { what: "ptxas", needed: false, state }
}

fn driver() -> Finding {
    let version = std::fs::read_to_string("/proc/driver/nvidia/version").ok();
    let state = version
        .and_then(|text| driver_version(&text))
        .map(|version| format!("NVIDIA {version}"))
        .ok_or_else(|| "kernels cannot run here: install NVIDIA's driver".to_owned());
    Finding { what: "driver", needed: false, state }
}

/// Reads the version in the kernel module's text: `NVRM version: NVIDIA … Kernel Module  580.65.06  …`.
fn driver_version(text: &str) -> Option<String> {
    let mut words = text.lines().find(|line| line.starts_with("NVRM version"))?.split_whitespace();
    words
        .find(|word| word.contains('.') && word.chars().all(|c| c.is_ascii_digit() || c == '.'))
        .map(str::to_owned)
}

fn gpu() -> Finding {
    let listed =
        Command::new("nvidia-smi").args(["--query-gpu=name,compute_cap", "--format=csv,noheader"]).output();
    let state = match listed {
        Ok(output) if output.status.success() => {
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            Ok(text.lines().map(str::trim).collect::<Vec<_>>().join("; "))
        }
        _ if device_files() > 0 => Ok(format!("{} (their names need nvidia-smi)", device_files())),
        _ => Err("kernels cannot run here: they need a GPU of compute capability 9.0 or newer".into()),
    };
    Finding { what: "GPU", needed: false, state }
}

/// Counts the device files `/dev/nvidia0`, `/dev/nvidia1` ….
fn device_files() -> usize {
    let names = Path::new("/dev").read_dir().into_iter().flatten().flatten().map(|entry| entry.file_name());
    names.filter(|name| is_device_file(&name.to_string_lossy())).count()
}

fn is_device_file(name: &str) -> bool {
    name.strip_prefix("nvidia").is_some_and(|number| number.parse::<u32>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_drivers_version_is_read() {
        let text = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build\nGCC version: 12.2.0\n";
        assert_eq!(driver_version(text).as_deref(), Some("580.65.06"));
        assert_eq!(driver_version("GCC version: 12.2.0\n"), None);
    }

    #[test]
    fn gpus_are_counted_by_their_device_files() {
        let names = ["nvidia0", "nvidia11", "nvidiactl", "nvidia-uvm", "null"];
        assert_eq!(names.into_iter().filter(|name| is_device_file(name)).count(), 2);
    }

    #[test]
    fn the_host_needs_the_version_that_the_packages_state() {
        assert!(check_host_compiler("rustc 1.96.0 (00000000a 2026-05-25)").is_ok());
        assert!(check_host_compiler("rustc 1.101.0-nightly (7df81381d 2026-10-14)").is_ok());
        let error = check_host_compiler("rustc 1.95.1 (00000000a 2026-04-16)").unwrap_err();
        assert!(error.contains("need 1.96: run `rustup update stable`"), "{error}");
        assert!(check_host_compiler("").unwrap_err().contains("rustup.rs"));
        assert!(absent_host_compiler(&ErrorKind::NotFound.into()).contains("no `rustc` on PATH"));
        let said = "error: toolchain 'nightly-x' is not installed\nhelp: run `rustup toolchain install nightly-x` to install it\n";
        assert_eq!(
            failed_host_compiler(said),
            "`rustc --version` fails in this folder: error: toolchain 'nightly-x' is not installed; help: run `rustup toolchain \
             install nightly-x` to install it"
        );
    }

    #[test]
    fn the_verdict_says_what_can_be_built() {
        assert_eq!(verdict(&[]), "kernels and host programs can be built here");
        assert_eq!(verdict(&[HOST]), "kernels can be built here, and no host program yet");
        assert_eq!(verdict(&["linker"]), "no kernel can be built here yet");
        assert_eq!(verdict(&[HOST, "linker"]), "no kernel can be built here yet");
    }

    #[test]
    fn only_what_a_build_needs_is_called_missing() {
        let show = |needed, state| Finding { what: "linker", needed, state }.to_string();
        assert_eq!(show(true, Err("mend it".into())), "linker      MISSING  mend it");
        assert_eq!(show(false, Err("mend it".into())), "linker      none     mend it");
        assert_eq!(show(true, Ok("here".into())), "linker      ok       here");
    }
}
