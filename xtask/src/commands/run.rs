//! `./x run`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, ensure};
use clap::{Args, ValueEnum};
use xtask::{files, root};

use super::Setup;
use super::bundle::{self, Content, For};

#[derive(Args)]
pub struct Options {
    /// Run only the checks whose names contain one of these: a kernel, a build (O3, nvcc), a whole name
    #[arg(value_name = "KERNEL")]
    checks: Vec<String>,
    /// Where to run [default: a GPU, or the interpreter if this machine has none]
    #[arg(long)]
    device: Option<Device>,
    #[command(flatten)]
    content: Content,
    /// Interpreter: schedules under which each launch runs
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    schedules: u32,
    /// Interpreter: the first schedule, which a finding names
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Interpreter: write what the last launch did to this file, for the viewers of trace events (https://ui.perfetto.dev)
    #[arg(long, value_name = "FILE", requires = "checks")]
    trace: Option<PathBuf>,
    /// Leave out the CUDA C++ twins in `bench/cuda`, which the interpreter runs too
    #[arg(long)]
    no_twins: bool,
    /// Also run axpy_bulk on this file of little-endian f32
    #[arg(long)]
    file: Option<PathBuf>,
    /// Further arguments of `ptx-gpu`
    #[arg(last = true, value_name = "PTX-GPU ARGUMENTS")]
    arguments: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Device {
    /// The interpreter, which finds races, and missing fences, waits and barriers
    Emu,
    /// A GPU
    Cuda,
}

impl Options {
    fn device(&self) -> Result<Device> {
        let device = self.device.unwrap_or(if has_gpu() { Device::Cuda } else { Device::Emu });
        ensure!(
            device == Device::Emu || (self.schedules == 1 && self.seed == 0 && self.trace.is_none()),
            "a GPU chooses its own schedule: add --device emu, or leave --schedules, --seed and --trace out"
        );
        Ok(device)
    }
}

pub fn run(options: &Options) -> Result<ExitCode> {
    let device = options.device()?;
    let setup = Setup::ready()?;
    let (folder, made_for) = match device {
        Device::Emu => (root().join("target/run/interpreter"), For::Interpreter),
        Device::Cuda => (root().join("target/run/gpu"), For::Gpu),
    };
    let twins = made_for == For::Interpreter && !options.no_twins;
    bundle::make(&setup, &folder, made_for, &options.content, twins)?;
    let mut program = bundle::program(&folder);
    if device == Device::Emu {
        program.arg("--emulated");
        program.arg(format!("--schedules={}", options.schedules)).arg(format!("--seed={}", options.seed));
        if let Some(trace) = &options.trace {
            // The last launch is that of the last check.
            program.args(["--jobs=1", "--trace"]).arg(files::from_caller(trace));
        }
    }
    if let Some(file) = &options.file {
        program.arg("--file").arg(files::from_caller(file));
    }
    program.args(&options.arguments).args(&options.checks);
    bundle::finish(program)
}

/// Returns true if a GPU driver has created its device file.
pub fn has_gpu() -> bool {
    ["/dev/nvidiactl", "/dev/dxg"].iter().any(|device| Path::new(device).exists())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        options: Options,
    }

    fn device(line: &[&str]) -> Result<Device> {
        Cli::parse_from([&["run"], line].concat()).options.device()
    }

    #[test]
    fn a_gpu_takes_no_schedule() {
        assert_eq!(device(&["--device", "emu", "--schedules", "5", "--seed", "3"]).unwrap(), Device::Emu);
        assert_eq!(device(&["--device", "cuda", "axpy"]).unwrap(), Device::Cuda);
        for option in [&["--schedules", "5"][..], &["--seed", "3"], &["axpy", "--trace", "t.json"]] {
            let error = device(&[&["--device", "cuda"], option].concat()).unwrap_err().to_string();
            assert!(error.contains("--device emu"), "{error}");
        }
    }
}
