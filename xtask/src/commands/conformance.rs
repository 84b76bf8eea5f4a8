//! `./x conformance`.

use std::ffi::OsString;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};
use clap::Args;
use flate2::Compression;
use flate2::write::GzEncoder;
use xtask::cuda::Tools;
use xtask::device::{Arch, workspace_program};
use xtask::forms::by_two;
use xtask::process::run as run_process;
use xtask::toolchain::Toolchain;
use xtask::{files, progress, root};

const PROGRAM: &str = "conformance";
/// The folder of the forms, in the repository.
const FORMS: &str = "tests/golden/raw";

#[derive(Args)]
pub struct Options {
    /// Make this folder, which needs only a driver to run the cases on a GPU, and run nothing here
    #[arg(long, value_name = "DIR")]
    bundle: Option<PathBuf>,
    /// Add cubins of this many random kernels to the folder, for `conformance fuzz gpu`
    #[arg(long, value_name = "COUNT", requires = "bundle")]
    fuzz: Option<usize>,
    /// The seed of the random kernels
    #[arg(long, default_value_t = 1, requires = "fuzz")]
    seed: u64,
    /// Arguments of `conformance` [default: emu]
    #[arg(last = true, value_name = "CONFORMANCE ARGUMENTS")]
    arguments: Vec<OsString>,
}

pub fn run(options: &Options) -> Result<ExitCode> {
    // On this machine the tests have compiled the program, with the interpreter optimized.
    let profile = if options.bundle.is_some() { "release" } else { "dev" };
    let program = workspace_program(&Toolchain::active()?, PROGRAM, profile)?;
    if let Some(folder) = &options.bundle {
        let folder = files::from_caller(folder);
        make_bundle(&program, &folder, options)?;
        let folder = folder.display();
        if let Some(count) = options.fuzz {
            println!(
                "{folder}/{PROGRAM} fuzz gpu --seed {} --count {count} runs the random kernels",
                options.seed
            );
        }
        println!(
            "{folder} is ready: copy it to a machine with an NVIDIA driver, and run {folder}/{PROGRAM} gpu there"
        );
        return Ok(ExitCode::SUCCESS);
    }
    let mut command = Command::new(program);
    if options.arguments.is_empty() {
        command.arg("emu");
    }
    let status = command.args(&options.arguments).status().context("cannot run the program")?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    code.map(ExitCode::from).with_context(|| format!("{PROGRAM} ended with {status}"))
}

/// Makes a folder with the program, the forms, and the kernels as cubins.
fn make_bundle(program: &Path, folder: &Path, options: &Options) -> Result<()> {
    if fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some())
        && !folder.join(PROGRAM).exists()
    {
        bail!(
            "{} contains other files: give an empty folder, a new one or an earlier bundle",
            folder.display()
        );
    }
    let tools = Tools::find_or_fetch()?;
    files::replace_folder(folder, |fresh| {
        fs::copy(program, fresh.join(PROGRAM))
            .with_context(|| format!("cannot copy {}", program.display()))?;
        let forms = root().join(FORMS);
        for form in files::under(&forms)? {
            let to = fresh.join("forms").join(form.strip_prefix(&forms)?);
            files::write(&to, fs::read(&form).with_context(|| format!("cannot read {}", form.display()))?)?;
        }
        let modules = fresh.join("modules");
        fs::create_dir(&modules)?;
        run_process(Command::new(program).arg("modules").arg(&modules).arg("--forms").arg(&forms))?;
        assemble_all(&tools, &modules)?;
        let Some(count) = options.fuzz else { return Ok(()) };
        let kernels = fresh.join("fuzz");
        fs::create_dir(&kernels)?;
        let (count, seed) = (count.to_string(), options.seed.to_string());
        let numbers = ["--count", &count, "--seed", &seed];
        run_process(Command::new(program).args(["fuzz", "modules"]).arg(&kernels).args(numbers))?;
        assemble_all(&tools, &kernels)
    })
}

fn assemble_all(tools: &Tools, folder: &Path) -> Result<()> {
    let modules = files::under(folder)?;
    let assembled = progress::step(&format!("assembling {} modules", modules.len()), || {
        by_two(&modules, |ptx| assemble(tools, ptx))
    });
    assembled.into_iter().collect()
}

/// Replaces a module's PTX by its compressed cubin. The cubins of all cases are large and similar.
fn assemble(tools: &Tools, ptx: &Path) -> Result<()> {
    let cubin = ptx.with_extension("cubin");
    tools.assemble(ptx, Arch::Sm90a, &cubin)?;
    let image = fs::read(&cubin).with_context(|| format!("cannot read {}", cubin.display()))?;
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(&image)?;
    files::write(&ptx.with_extension("cubin.gz"), packed.finish()?)?;
    for done in [ptx, &cubin] {
        fs::remove_file(done).with_context(|| format!("cannot remove {}", done.display()))?;
    }
    Ok(())
}
