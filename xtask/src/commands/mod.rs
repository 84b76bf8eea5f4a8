//! The subcommands of `./x`.

pub mod bench;
pub mod build;
pub mod bundle;
pub mod compare;
pub mod conformance;
pub mod emu;
pub mod forms;
pub mod lint;
pub mod mutate;
pub mod newest;
pub mod pictures;
pub mod release;
pub mod row;
pub mod run;
pub mod test;
pub mod uniform;

use std::thread;

use anyhow::{Context, Result, bail};
use xtask::cuda::Tools;
use xtask::device::{self, Build, Module};
use xtask::progress;
use xtask::ptx::{self, Kernel};
use xtask::toolchain::Toolchain;

/// The tools that most commands need.
pub struct Setup {
    pub toolchain: Toolchain,
    pub tools: Tools,
}

impl Setup {
    /// Builds `core` and the linker and fetches ptxas at the same time, each only if missing.
    pub fn ready() -> Result<Setup> {
        let toolchain = Toolchain::active()?;
        let tools = thread::scope(|scope| {
            let sysroot = scope.spawn(|| device::sysroot(&toolchain));
            let tools = scope.spawn(Tools::find_or_fetch);
            device::ptx_link(&toolchain)?;
            joined(sysroot)?;
            joined(tools)
        })?;
        eprintln!("ptxas {}: {}", tools.version(), tools.origin());
        Ok(Setup { toolchain, tools })
    }
}

fn joined<T>(thread: thread::ScopedJoinHandle<Result<T>>) -> Result<T> {
    match thread.join() {
        Ok(result) => result,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// Returns the kernels of a build of `kernels/`, one module per kernel. Prints the compiler's warnings to stderr.
pub fn kernels(toolchain: &Toolchain, build: Build, only: Option<&str>) -> Result<Vec<Kernel>> {
    let module = module(toolchain, build)?;
    let mut kernels =
        ptx::split(&module.text).with_context(|| format!("cannot take {} apart", module.path.display()))?;
    if let Some(only) = only {
        let names: Vec<_> = kernels.iter().map(|kernel| kernel.name.clone()).collect();
        kernels.retain(|kernel| kernel.name == only);
        if kernels.is_empty() {
            bail!("kernels/ has no kernel `{only}`; the kernels are {}", names.join(", "));
        }
    }
    Ok(kernels)
}

/// Builds a device crate and shows the progress.
pub fn module(toolchain: &Toolchain, build: Build) -> Result<Module> {
    let build = Build { toolchain: Some(toolchain.clone()), ..build };
    let what = format!(
        "compiling {} for {} at opt-level {} with {}",
        build.crate_dir.display(),
        build.arch,
        build.opt_level,
        toolchain.name()
    );
    let module = progress::step(&what, || build.run())?;
    eprint!("{}", module.warnings);
    Ok(module)
}
